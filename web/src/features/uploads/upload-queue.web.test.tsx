import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { liveQuery } from '@fellowship/sync/client/database/device-database'
import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isPageHeld } from '../../lib/busy.ts'
import { toastStore } from '../../ui/toast.ts'
import { testServer } from '../../testing/test-server.ts'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { copyToDevice } from './copy-file.ts'
import { UploadJob } from './upload-queue.tsx'
import { useWakeLock } from './use-queue.ts'
import type { UploadJob as Job } from '@fellowship/sync/client/database/upload-database'

afterEach(() => localStorage.clear())

async function show(job: ReactNode) {
  const { unmount } = render(<SignedIn>{job}</SignedIn>)
  await screen.findByRole('listitem')
  return unmount
}

test.each([
  ['shared from another app', anUploadJob({ unconfirmed: true }), undefined],
  ['that waits', anUploadJob(), 'Correct the details'],
])('changed details of a recording %s are not lost', async (_, job, open) => {
  const unmount = await show(<UploadJob job={job} isOnline userId={7} />)
  if (open !== undefined) await userEvent.click(screen.getByRole('button', { name: open }))
  expect(isPageHeld()).toBe(false)
  await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
  expect(isPageHeld()).toBe(true)
  unmount()
  expect(isPageHeld()).toBe(false)
  // As after a crash of the page.
  await show(<UploadJob job={job} isOnline userId={7} />)
  if (open !== undefined) await userEvent.click(screen.getByRole('button', { name: open }))
  expect(screen.getByLabelText<HTMLInputElement>('Title').value).toBe('Hope in Christ')
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(screen.getByLabelText<HTMLInputElement>('Title').value).toBe('Hope')
})

describe('the file of a lost recording, chosen again', () => {
  const lost = anUploadJob({ state: 'lost', filename: 'hope.mp3', size: 20 })
  const stored = async () => {
    const { filename, state } = (await uploadDatabase().jobs.get(lost.id))!
    return `${filename} ${state}`
  }
  const choose = async (name: string, bytes: number) => {
    await uploadDatabase().jobs.put(lost)
    await show(<UploadJob job={lost} isOnline userId={7} />)
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

describe('a recording that the library never takes', () => {
  const names = () => screen.getAllByRole('button').map((button) => button.textContent)
  const refused = (lastError: Job['lastError'], state: Job['state'] = 'rejected') =>
    anUploadJob({ state, phase: 'arrived', filename: 'hope.mp3', size: 20, lastError })

  test('offers another file instead of another try', async () => {
    const job = refused({ code: 'unsupported_audio', sentence: 'This file is not a recording.' })
    await uploadDatabase().jobs.put(job)
    await show(<UploadJob job={job} isOnline userId={7} />)
    expect(names().filter(Boolean)).toEqual(['Choose another file', 'Remove'])
    const file = new File([new Uint8Array(40)], 'faith.mp3', { type: 'audio/mpeg' })
    await userEvent.upload(screen.getByLabelText('Choose another file'), file)
    const others = () => uploadDatabase().jobs.where('id').notEqual(job.id).toArray()
    await expect.poll(async () => (await others())[0]).toMatchObject({ size: 40, fields: job.fields })
  })

  test.each([
    [true, ['Choose another file', 'Remove']],
    [false, ['Choose another file', 'Remove', 'Correct the details']],
  ])('links the teaching of a duplicate', async (sameRecording, offered) => {
    const existing = { path: '/teaching/2026-11-22-hope-0000000000ab', sameRecording }
    const job = refused({ code: 'duplicate', sentence: 'Uploaded before.', existing }, 'duplicate')
    const shown = () => <UploadJob job={job} isOnline userId={7} />
    const router = createRouter({ routeTree: createRootRoute({ component: shown }) })
    render(<RouterProvider router={router as never} />)
    const link = await screen.findByRole('link', { name: 'Show it in the library' })
    expect(link.getAttribute('href')).toBe(existing.path)
    expect(names().filter(Boolean)).toEqual(offered)
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
  const shown = async (job = refused) => {
    await uploadDatabase().jobs.clear()
    await uploadDatabase().jobs.put(job)
    await show(<UploadJob job={job} isOnline userId={7} />)
    screen.getByText(sentence)
  }
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

  test('publishes the part that arrived', async () => {
    await shown()
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
    await press('Publish what is there (0:36)')
    await expect.poll(stored).toMatchObject({ state: 'queued', phase: 'begun', acceptCutOff: true })
  })

  test('publishes a recording that sounds wrong anyway', async () => {
    await shown({ ...refused, lastError: { code: 'sounds_wrong', sentence } })
    await press('Publish anyway')
    await expect.poll(stored).toMatchObject({ state: 'queued', phase: 'begun', acceptSound: true })
  })

  test('sends another file with its fields', async () => {
    await shown()
    screen.getByRole('button', { name: 'Choose the file again' })
    const file = new File([new Uint8Array(40)], 'hope.mp3', { type: 'audio/mpeg' })
    await userEvent.upload(screen.getByLabelText('Choose the file again'), file)
    await expect.poll(stored).toMatchObject({ state: 'cancelled' })
    const [other] = await uploadDatabase().jobs.where('id').notEqual(refused.id).toArray()
    expect(other).toMatchObject({ state: 'queued', size: 40, fields: refused.fields })
    expect([other!.acceptCutOff, other!.acceptSound]).toEqual([undefined, undefined])
  })

  test('is discarded', async () => {
    await shown()
    await press('Discard')
    await expect.poll(stored).toMatchObject({ state: 'cancelled' })
  })

  test('details that cannot be stored stay in the form', async () => {
    await shown()
    await press('Correct the details')
    await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
    toastStore.set(null)
    vi.spyOn(uploadDatabase(), 'transaction').mockRejectedValueOnce(new Error('The disk is full.') as never)
    await press('Save')
    const { title } = uploadQueueTexts.notCorrected('')
    await expect.poll(() => toastStore.snapshot()).toMatchObject({ title, kind: 'destructive' })
    expect(screen.getByLabelText<HTMLInputElement>('Title').value).toBe('Hope in Christ')
    await press('Cancel')
    expect([screen.queryByLabelText('Title'), localStorage.length]).toEqual([null, 0])
  })

  test('a corrected date far ahead is asked about, another one is not', async () => {
    await shown({ ...refused, fields: { ...refused.fields, date: '2099-11-22' } })
    await press('Correct the details')
    await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
    await press('Save')
    await expect.poll(async () => (await stored())?.fields.title).toBe('Hope in Christ')
    // The form closes after that.
    await userEvent.click(await screen.findByRole('button', { name: 'Correct the details' }))
    fireEvent.change(screen.getByLabelText('Date'), { target: { value: '2098-11-22' } })
    await press('Save')
    await userEvent.click(await screen.findByRole('button', { name: 'Correct the date' }))
    expect((await stored())?.fields.date).toBe('2099-11-22')
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

test('rows of a worker appear without BroadcastChannel', async () => {
  const job = anUploadJob({ id: 'of-the-worker' })
  // Writes past Dexie, which would report the row to its own page.
  class OtherThread extends EventTarget {
    postMessage() {
      const write = uploadDatabase().backendDB().transaction('jobs', 'readwrite').objectStore('jobs').put(job)
      write.onsuccess = () => this.dispatchEvent(new MessageEvent('message', { data: { id: job.id } }))
    }
    terminate() {}
  }
  vi.stubGlobal('BroadcastChannel', undefined)
  vi.stubGlobal('Worker', OtherThread)
  onTestFinished(() => void vi.unstubAllGlobals())
  const seen: boolean[] = []
  const rows = liveQuery(() => uploadDatabase().jobs.get(job.id)).subscribe((row) => void seen.push(!!row))
  onTestFinished(() => rows.unsubscribe())
  await expect.poll(() => seen).toEqual([false])
  const upload = { fields: job.fields, ownerUserId: 7, now: 0 }
  expect(await copyToDevice(new File(['sound'], 'a.mp3'), upload)).toBe(job.id)
  await expect.poll(() => seen).toEqual([false, true])
})

test('a wake lock is held again after the page was hidden', async () => {
  const noted: string[] = []
  const request = async () => {
    noted.push('held')
    return { release: async () => void noted.push('released') }
  }
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { wakeLock: { request } }))
  onTestFinished(() => void vi.unstubAllGlobals())
  const visible = vi.spyOn(document, 'visibilityState', 'get')
  const becomes = (state: DocumentVisibilityState) => {
    visible.mockReturnValue(state)
    document.dispatchEvent(new Event('visibilitychange'))
  }
  const { rerender } = renderHook(({ moving }) => useWakeLock(moving), { initialProps: { moving: false } })
  expect(noted).toEqual([])
  rerender({ moving: true })
  becomes('hidden')
  expect(noted).toEqual(['held'])
  becomes('visible')
  expect(noted).toEqual(['held', 'held'])
  // The lock is known a moment after the request.
  await act(async () => undefined)
  rerender({ moving: false })
  expect(noted).toEqual(['held', 'held', 'released'])
})

test('a wake lock that comes late is released', async () => {
  const release = vi.fn(async () => undefined)
  let grant: (lock: { release: typeof release }) => void = () => {}
  const granted = new Promise<{ release: typeof release }>((resolve) => (grant = resolve))
  vi.stubGlobal(
    'navigator',
    Object.assign(Object.create(navigator), { wakeLock: { request: () => granted } }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const { rerender } = renderHook(({ moving }) => useWakeLock(moving), { initialProps: { moving: true } })
  rerender({ moving: false })
  expect(release).not.toHaveBeenCalled()
  grant({ release })
  await expect.poll(() => release.mock.calls.length).toBe(1)
})

test.each([
  [{ title: ' ', scriptureReference: '' }, 'a.mp3'],
  [{ title: '', scriptureReference: 'Romans 8' }, 'Romans 8'],
  [{ title: 'Hope', scriptureReference: 'Romans 8' }, 'Hope'],
])('a recording with %j is called %s', async (given, name) => {
  const { fields } = anUploadJob()
  await show(<UploadJob job={anUploadJob({ fields: { ...fields, ...given } })} isOnline userId={7} />)
  expect(screen.getByRole('button', { name: `Pause ${name}` })).toBeTruthy()
  expect(screen.getByRole('button', { name: `Cancel: ${name}` })).toBeTruthy()
})

describe('a job in the list', () => {
  const stored = (id = 'a') => uploadDatabase().jobs.get(id)
  const put = async (given: Partial<Job>) => {
    const job = anUploadJob({ filename: 'hope.mp3', ...given })
    await uploadDatabase().jobs.put(job)
    await show(<UploadJob job={job} isOnline userId={7} />)
    return job
  }
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

  test.each<[string, Partial<Job>, Partial<Job> | undefined]>([
    ['Pause Hope', {}, { paused: true }],
    ['Go on with Hope', { paused: true }, { paused: false }],
    ['Cancel: Hope', { asked: true }, { state: 'cancelled' }],
    ['Take off the list: Hope', { state: 'done' }, undefined],
    [
      'Try again',
      { state: 'rejected', attempts: 3, lastError: { code: 'invalid_input', sentence: 'No.' } },
      { state: 'queued', attempts: 0 },
    ],
    [
      'Replace anyway',
      { state: 'rejected', lastError: { code: 'revision_conflict', sentence: 'Changed.' } },
      { state: 'queued' },
    ],
    ['Remove', { state: 'duplicate', asked: true }, { state: 'cancelled' }],
  ])('is changed by %s', async (name, given, after) => {
    await put(given)
    await press(name)
    await expect.poll(() => stored()).toEqual(after ? expect.objectContaining(after) : undefined)
  })

  test.each<[string, Partial<Job>, (string | null)[]]>([
    ['being copied', { state: 'copying', copied: 15_000_000 }, ['Cancel: Hope']],
    ['being checked', { state: 'finalizing' }, []],
    ['whose session has ended', { state: 'blocked_auth' }, ['Cancel: Hope', 'Correct the details']],
    ['finished', { state: 'done' }, ['Take off the list: Hope']],
    ['sent', { state: 'uploading' }, ['Pause Hope', 'Cancel: Hope', 'Correct the details']],
  ])('a job that is %s offers its actions', async (_, given, offered) => {
    await put(given)
    const labels = screen
      .queryAllByRole('button')
      .map((each) => each.getAttribute('aria-label') ?? each.textContent)
    expect(labels).toEqual(offered)
  })

  test('shows its progress, of copying or of sending', async () => {
    await put({ state: 'copying', copied: 15_000_000 })
    const copying = screen.getByRole<HTMLProgressElement>('progressbar', { name: 'Saving: Hope' })
    expect(copying.getAttribute('value')).toBe('15000000')
    cleanup()
    await put({ state: 'uploading', acknowledged: 3_000_000 })
    const sending = screen.getByRole<HTMLProgressElement>('progressbar', { name: 'Upload: Hope' })
    expect([sending.getAttribute('value'), sending.getAttribute('max')]).toEqual(['3000000', '30000000'])
    expect(sending.nextElementSibling!.textContent).toBe('3 MB of 30 MB')
  })

  test('a refused job is sent again with corrected details', async () => {
    await put({ state: 'rejected', lastError: { code: 'invalid_input', sentence: 'No.' } })
    await press('Correct the details')
    await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
    await press('Save and try again')
    await expect.poll(() => stored()).toMatchObject({ state: 'queued', fields: { title: 'Hope in Christ' } })
  })

  test('a job published meanwhile cannot be corrected', async () => {
    await put({})
    await press('Correct the details')
    await uploadDatabase().jobs.update('a', { state: 'done' })
    await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
    await press('Save')
    await expect.poll(() => toastStore.snapshot()).toMatchObject({ ...uploadQueueTexts.tooLate })
    expect((await stored())!.fields.title).toBe('Hope')
  })

  test('tells that the chosen file is empty', async () => {
    await put({ state: 'lost', size: 0 })
    toastStore.set(null)
    await userEvent.upload(
      screen.getByLabelText('Choose the file again'),
      new File([], 'hope.mp3', { type: 'audio/mpeg' }),
    )
    await expect
      .poll(() => toastStore.snapshot())
      .toMatchObject({
        title: 'Upload Failed',
        description: uploadQueueTexts.empty,
        kind: 'destructive',
      })
  })
})

interface Answer {
  status?: number
  body: unknown
}

describe('a recording that was shared from another app', () => {
  const shared = anUploadJob({ unconfirmed: true, ownerUserId: null, filename: 'hope.mp3' })
  const send = async (answer: Answer | (() => Promise<Answer>), given: Partial<Job> = {}) => {
    const check = typeof answer === 'function' ? answer : () => answer
    const asked = await testServer({ 'POST /api/sermons/check-duplicate': check })
    const job = { ...shared, ...given }
    await uploadDatabase().jobs.put(job)
    toastStore.set(null)
    await show(<UploadJob job={job} isOnline userId={7} />)
    await userEvent.type(screen.getByLabelText('Title'), ' in Christ')
    await userEvent.click(screen.getByRole('button', { name: 'Send it' }))
    return () => asked.filter(({ path }) => path.endsWith('check-duplicate')).length
  }
  const stored = () => uploadDatabase().jobs.get('a')

  test('is sent for its person after the check', async () => {
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await send(async () => (await held, { body: { success: true, duplicate: false, parsedData: {} } }))
    expect(screen.getByRole('button', { name: 'Checking for duplicates...' })).toBeTruthy()
    answer()
    await expect.poll(stored).toMatchObject({ ownerUserId: 7, fields: { title: 'Hope in Christ' } })
    expect((await stored())!.unconfirmed).toBeFalsy()
    await expect.poll(() => localStorage.length).toBe(0)
    expect(toastStore.snapshot()).toBeNull()
  })

  test('is not sent if the library has it', async () => {
    const code = 'duplicate'
    await send({ status: 409, body: { code, error: 'Uploaded before.' } })
    await expect.poll(() => toastStore.snapshot()).toMatchObject({ kind: 'destructive' })
    expect(await stored()).toMatchObject({ unconfirmed: true })
    const again = await screen.findByRole('button', { name: 'Send it' })
    expect([again.getAttribute('aria-disabled'), localStorage.length]).toEqual([null, 1])
  })

  test('is not sent with a date far ahead before it is confirmed', async () => {
    const asked = await send({ body: {} }, { fields: { ...shared.fields, date: '2099-11-22' } })
    await userEvent.click(await screen.findByRole('button', { name: 'Correct the date' }))
    expect(asked()).toBe(0)
  })

  test('is not checked before its fields are right', async () => {
    const asked = await send({ body: {} }, { fields: { ...shared.fields, speaker: '' } })
    await expect.poll(() => toastStore.snapshot()).toMatchObject({ kind: 'destructive' })
    expect([asked(), (await stored())!.unconfirmed]).toEqual([0, true])
  })
})
