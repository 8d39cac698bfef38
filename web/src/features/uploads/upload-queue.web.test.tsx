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
