import { afterEach, expect, test, vi } from 'vitest'
import { copyToDevice } from './copy-file.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { testServer } from '../../testing/test-server.ts'
import { beginUploads, send, uploadFlow } from './use-upload-flow.ts'

vi.mock('./copy-file.ts', () => ({
  copyToDevice: vi.fn(() => Promise.resolve('id')),
  LostFile: class extends Error {},
}))

const fields = { title: 'Hope', speaker: 'John Smith', scriptureReference: '', date: '2026-11-22' }
const file = (name: string) => new File([new Uint8Array(10)], name, { type: 'audio/mpeg' })

afterEach(() => {
  vi.mocked(copyToDevice).mockClear()
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
  await vi.waitFor(() => expect(copyToDevice).toHaveBeenCalledTimes(1), { timeout: 10_000 })
})
