import { problems } from '@fellowship/schema/problem'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { beforeEach, expect, test, vi } from 'vitest'
import { toastStore } from '../../ui/toast.ts'
import { receiveLaunches } from './launched-files.ts'
import { toastSharedOutcome } from './shared-outcome.ts'

beforeEach(async () => {
  toastStore.set(null)
  await uploadDatabase().jobs.clear()
})

/** The launch queue of the browser, with the installed app as its consumer. */
function app() {
  let launch: Parameters<Parameters<typeof receiveLaunches>[0]['setConsumer']>[0] = () => {}
  const goTo = vi.fn()
  receiveLaunches({ setConsumer: (consumer) => (launch = consumer) }, goTo)
  return { goTo, launch }
}
const handle = (file: File) => ({ getFile: async () => file })
const queued = async () => (await uploadDatabase().jobs.toArray()).map(({ filename }) => filename)

test('only a later launch goes to its address', () => {
  const { launch, goTo } = app()
  launch({ targetURL: `${location.origin}/teaching` })
  expect(goTo).not.toHaveBeenCalled()
  launch({})
  expect(goTo).not.toHaveBeenCalled()
  launch({ targetURL: `${location.origin}/series` })
  expect(goTo.mock.calls).toEqual([['/series']])
})

test.each([
  ['the signed-in user', async () => 7, 7],
  ['nobody', async () => undefined, null],
  ['nobody, if that cannot be read', async () => Promise.reject(new Error('closed')), null],
])('opened files are queued for %s', async (_, user, owner) => {
  vi.spyOn(appDatabase(), 'signedInUser').mockImplementation(user as never)
  const { launch } = app()
  launch({ files: [handle(new File(['sound'], 'a.mp3', { type: 'audio/mpeg' }))] })
  await vi.waitFor(async () => expect(await queued()).toEqual(['a.mp3']))
  expect(await uploadDatabase().jobs.toArray()).toMatchObject([{ ownerUserId: owner, unconfirmed: true }])
})

test('says that an opened file is no audio', async () => {
  app().launch({ files: [handle(new File(['x'], 'minutes.docx', { type: 'application/msword' }))] })
  await vi.waitFor(() =>
    expect(toastStore.snapshot()).toMatchObject({ title: uploadTexts.invalidFileType.title }),
  )
  expect(await queued()).toEqual([])
})

test.each([
  ['no-audio', uploadTexts.invalidFileType],
  ['too-large', uploadTexts.failed(problems.too_large.sentence)],
  ['not-kept', uploadTexts.failed(uploadQueueTexts.notKept)],
  ['too-many', uploadTexts.failed(uploadQueueTexts.tooManyShared)],
  ['no-room', uploadTexts.failed(uploadQueueTexts.deviceFull)],
] as const)('the outcome %s is told once', (outcome, notice) => {
  history.replaceState(null, '', '/teaching?shared=no-audio&q=hope')
  toastSharedOutcome(outcome)
  expect(toastStore.snapshot()).toMatchObject({ ...notice, kind: 'destructive' })
  expect(location.search).toBe('?q=hope')
})

test('no outcome changes nothing', () => {
  history.replaceState(null, '', '/teaching?shared=other')
  toastSharedOutcome(undefined)
  expect([toastStore.snapshot(), location.search]).toEqual([null, '?shared=other'])
  history.replaceState('state', '', '/teaching?q=hope')
  const replaced = vi.spyOn(history, 'replaceState')
  toastSharedOutcome('no-audio')
  expect(replaced).not.toHaveBeenCalled()
})
