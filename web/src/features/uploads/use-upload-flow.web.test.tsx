import { afterEach, expect, test, vi } from 'vitest'
import { copyToDevice } from './copy-file.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { testServer } from '../../testing/test-server.ts'
import { beginUploads, send, uploadFlow } from './use-upload-flow.ts'

vi.mock('./copy-file.ts', () => ({
  copyToDevice: vi.fn(() => Promise.resolve('id')),
  LostFile: class extends Error {},
}))

const make = vi.hoisted(() => vi.fn<(file: File, signal: AbortSignal) => Promise<File | undefined>>())
vi.mock('./smaller/make-smaller.ts', () => ({ makeSmaller: make }))

const fields = { title: 'Hope', speaker: 'John Smith', scriptureReference: '', date: '2026-11-22' }
const file = (name: string) => new File([new Uint8Array(10)], name, { type: 'audio/mpeg' })

afterEach(() => {
  vi.mocked(copyToDevice).mockClear()
  make.mockClear()
  send({ type: 'cleared' })
})

/** Submits two recordings as user 7. The first is being copied until the returned function is called. */
async function submitTwo(): Promise<() => void> {
  await testServer({
    'POST /api/sermons/parse-filename': () => ({
      body: { parsedData: { ...fields, isValid: true, errors: [] } },
    }),
    'POST /api/sermons/check-duplicate': () => ({ body: { success: true } }),
  })
  beginUploads(7)
  let finishFirst = () => {}
  vi.mocked(copyToDevice).mockImplementationOnce(
    () => new Promise((resolve) => (finishFirst = () => resolve('first'))),
  )
  send({ type: 'chosen', files: [file('a.mp3'), file('b.mp3')] })
  await vi.waitFor(() =>
    expect(uploadFlow.snapshot().drafts.every(({ step }) => step === 'editing')).toBe(true),
  )
  send({ type: 'submitted' })
  await vi.waitFor(() => expect(copyToDevice).toHaveBeenCalledTimes(1))
  return finishFirst
}

test('saves a recording for its original user', async () => {
  const finishFirst = await submitTwo()
  beginUploads(8)
  finishFirst()
  await vi.waitFor(() => expect(copyToDevice).toHaveBeenCalledTimes(2))
  const saved = vi
    .mocked(copyToDevice)
    .mock.calls.map(([{ name }, { ownerUserId }]) => `${name} ${ownerUserId}`)
  expect(saved).toEqual(['a.mp3 7', 'b.mp3 7'])
})

test('typed words wait on the device for their file', async () => {
  await testServer({
    'POST /api/sermons/parse-filename': () => ({
      body: { parsedData: { ...fields, isValid: true, errors: [] } },
    }),
    'POST /api/sermons/check-duplicate': () => ({ body: { success: true } }),
  })
  const draft = () => uploadFlow.snapshot().drafts[0]
  const drafts = () => Object.keys(localStorage).filter((name) => name.startsWith('draft:'))
  const chosen = new File([new Uint8Array(10)], 'a.mp3', { type: 'audio/mpeg', lastModified: 1 })
  const choose = async () => {
    send({ type: 'chosen', files: [chosen] })
    await vi.waitFor(() => expect(draft()?.step).toBe('editing'))
    return draft()!
  }
  beginUploads(7)
  const { id } = await choose()
  send({ type: 'edited', id, field: 'title', value: 'Hope against hope' })
  // A reload empties the store. Another person must not get this draft.
  uploadFlow.set({ ...uploadFlow.snapshot(), drafts: [] })
  beginUploads(8)
  expect((await choose()).fields).toEqual(fields)
  beginUploads(7)
  const again = await choose()
  expect([again.fields?.title, again.fields?.speaker]).toEqual(['Hope against hope', fields.speaker])
  expect(again.restoredAt).toBeGreaterThan(0)
  send({ type: 'discarded', id: again.id })
  await vi.waitFor(() => expect(draft()?.fields).toEqual(fields))
  expect([draft()?.restoredAt, drafts()]).toEqual([undefined, []])
  send({ type: 'edited', id: again.id, field: 'title', value: 'Hope again' })
  expect(drafts()).toHaveLength(1)
  send({ type: 'submitted' })
  await vi.waitFor(() => expect(draft()).toBeUndefined())
  expect(drafts()).toEqual([])
})

/** Chooses a WAV as user 7 and begins to make it smaller. */
async function makeSmaller(): Promise<number> {
  await testServer({
    'POST /api/sermons/parse-filename': () => ({
      body: { parsedData: { ...fields, isValid: true, errors: [] } },
    }),
    'POST /api/sermons/check-duplicate': () => ({ body: { success: true } }),
  })
  beginUploads(7)
  send({ type: 'chosen', files: [new File([new Uint8Array(10)], 'a.wav', { type: 'audio/wav' })] })
  await vi.waitFor(() => expect(uploadFlow.snapshot().drafts[0]?.step).toBe('editing'))
  const { id } = uploadFlow.snapshot().drafts[0]!
  send({ type: 'smallerWanted', id })
  return id
}

test('a smaller file belongs to the user who chose it', async () => {
  make.mockResolvedValueOnce(file('a.mp3'))
  await makeSmaller()
  await vi.waitFor(() => expect(uploadFlow.snapshot().drafts[0]?.file.name).toBe('a.mp3'))
  send({ type: 'submitted' })
  await vi.waitFor(() => expect(copyToDevice).toHaveBeenCalledTimes(1))
  expect(vi.mocked(copyToDevice).mock.lastCall).toMatchObject([{ name: 'a.mp3' }, { ownerUserId: 7 }])
})

test('making a file smaller ends when another user signs in', async () => {
  let made: (smaller: File | undefined) => void = () => {}
  make.mockImplementationOnce(() => new Promise((resolve) => (made = resolve)))
  await makeSmaller()
  await vi.waitFor(() => expect(make).toHaveBeenCalledTimes(1))
  const signal = make.mock.lastCall![1]
  expect(signal.aborted).toBe(false)
  beginUploads(8)
  expect([signal.aborted, uploadFlow.snapshot().drafts]).toEqual([true, []])
  made(file('a.mp3'))
  await Promise.resolve()
  expect(uploadFlow.snapshot().drafts).toEqual([])
})

test('a copy that finishes after sign-out sets no user', async () => {
  const finishFirst = await submitTwo()
  pageQueues().setUser(undefined)
  const setUser = vi.spyOn(pageQueues(), 'setUser')
  finishFirst()
  await vi.waitFor(() => expect(copyToDevice).toHaveBeenCalledTimes(2))
  expect(setUser.mock.calls).toEqual([])
})

test('checks the replica when the duplicate check times out', async () => {
  const parsedData = { ...fields, isValid: true, errors: [] }
  await testServer({
    'POST /api/sermons/parse-filename': () => ({ body: { parsedData } }),
    'POST /api/sermons/check-duplicate': () => new Promise(() => {}),
  })
  beginUploads(7)
  send({ type: 'chosen', files: [file('silent.mp3')] })
  await vi.waitFor(() => expect(uploadFlow.snapshot().drafts[0]?.step).toBe('editing'))
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100))
  send({ type: 'submitted' })
  await vi.waitFor(() => expect(copyToDevice).toHaveBeenCalledTimes(1))
})
