import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { isPageHeld } from '../../lib/busy.ts'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { UploadJob } from './upload-queue.tsx'

test.each([
  ['shared from another app', anUploadJob({ unconfirmed: true }), undefined],
  ['that waits', anUploadJob(), 'Correct the details'],
])('changed details of a recording %s hold the page', async (_, job, open) => {
  const { unmount } = render(<UploadJob job={job} isOnline userId={7} />)
  if (open !== undefined) await userEvent.click(screen.getByRole('button', { name: open }))
  expect(isPageHeld()).toBe(false)
  await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
  expect(isPageHeld()).toBe(true)
  unmount()
  expect(isPageHeld()).toBe(false)
})

describe('the file of a lost recording, chosen again', () => {
  const lost = anUploadJob({ state: 'lost', filename: 'hope.mp3', size: 20 })
  const stored = async () => {
    const { filename, state } = (await uploadDatabase().jobs.get(lost.id))!
    return `${filename} ${state}`
  }
  const choose = async (name: string, bytes: number) => {
    await uploadDatabase().jobs.put(lost)
    render(<UploadJob job={lost} isOnline userId={7} />)
    const file = new File([new Uint8Array(bytes)], name, { type: 'audio/mpeg' })
    await userEvent.upload(screen.getByLabelText('Choose the file again'), file)
  }

  test('asks before it sends another recording', async () => {
    await choose('faith.mp3', 30)
    expect(await screen.findByText(/^faith\.mp3 is another file than hope\.mp3\./)).toBeTruthy()
    expect(await stored()).toBe('hope.mp3 lost')
    await userEvent.click(screen.getByRole('button', { name: 'Send this one' }))
    await expect.poll(stored).toBe('faith.mp3 queued')
  })

  test.each([
    ['exported again', 'hope.mp3', 30],
    ['renamed', 'hope (1).mp3', 20],
  ])('sends a chosen file at once if it was %s', async (_, name, bytes) => {
    await choose(name, bytes)
    await expect.poll(stored).toBe(`${name} queued`)
    expect(screen.queryByRole('button', { name: 'Send this one' })).toBeNull()
  })
})

describe('a recording whose end is missing', () => {
  const sentence =
    'This recording is cut off: 0:36 of 1:12 are there. Publish what is there, send the whole file again, or discard it.'
  const refused = anUploadJob({
    state: 'rejected',
    phase: 'arrived',
    asked: true,
    filename: 'hope.mp3',
    size: 20,
    lastError: { code: 'cut_off', sentence, present: '0:36' },
  })
  const stored = async (id = refused.id) => uploadDatabase().jobs.get(id)
  const shown = async () => {
    await uploadDatabase().jobs.clear()
    await uploadDatabase().jobs.put(refused)
    render(<UploadJob job={refused} isOnline userId={7} />)
    screen.getByText(sentence)
  }
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

  test('publishes the part that arrived', async () => {
    await shown()
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
    await press('Publish what is there (0:36)')
    await expect.poll(stored).toMatchObject({ state: 'queued', phase: 'begun', acceptCutOff: true })
  })

  test('sends another file with its fields', async () => {
    await shown()
    screen.getByRole('button', { name: 'Choose the file again' })
    const file = new File([new Uint8Array(40)], 'hope.mp3', { type: 'audio/mpeg' })
    await userEvent.upload(screen.getByLabelText('Choose the file again'), file)
    await expect.poll(stored).toMatchObject({ state: 'cancelled' })
    const [other] = await uploadDatabase().jobs.where('id').notEqual(refused.id).toArray()
    expect(other).toMatchObject({ state: 'queued', size: 40, fields: refused.fields })
    expect(other!.acceptCutOff).toBeUndefined()
  })

  test('is discarded', async () => {
    await shown()
    await press('Discard')
    await expect.poll(stored).toMatchObject({ state: 'cancelled' })
  })

  test('corrected details are stored and not sent', async () => {
    await shown()
    await press('Correct the details')
    await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
    await press('Save')
    await expect.poll(async () => (await stored())?.fields.title).toBe('Hope in Christ')
    expect(await stored()).toMatchObject({ state: 'rejected', lastError: { code: 'cut_off' } })
  })
})
