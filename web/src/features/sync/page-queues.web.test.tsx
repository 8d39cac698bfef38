import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { outboxTexts } from '@fellowship/schema/sync/outbox.texts'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { binTexts, teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { holdPage } from '../../lib/busy.ts'
import { queryClient } from '../../lib/query-client.ts'
import { signInAddress, signInRedirectMs } from '../../lib/sign-in-address.ts'
import { uploadedToastMs } from '../../ui/timings.ts'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { pageQueues, watchFor } from './page-queues.ts'

// The part of BroadcastChannel that the queues use; happy-dom has none.
const channel = new EventTarget()
vi.stubGlobal('BroadcastChannel', function () {
  return channel
})

test('a cut-off replacement says the page with the buttons', async () => {
  await testServer({})
  pageQueues().setUser(7)
  const sentence = uploadTexts.cutOff('0:36', '1:12')
  const job = anUploadJob({
    state: 'rejected',
    replace: { teachingId: 1, baseRev: 1 },
    lastError: { code: 'cut_off', sentence, present: '0:36' },
  })
  const data = { about: 'upload', event: { kind: 'rejected', job } }
  channel.dispatchEvent(new MessageEvent('message', { data }))
  expect(toastStore.snapshot()).toMatchObject({
    kind: 'destructive',
    description: `${sentence} It waits under Upload Teaching on the Teaching page.`,
  })
  toastStore.set(null)
  pageQueues().setUser(undefined)
})

test("another tab's upload causes no redirect", async () => {
  await testServer({})
  pageQueues().setUser(undefined)
  const job = anUploadJob({ state: 'blocked_auth', createdAt: Date.now() + 1_000 })
  const data = { about: 'upload', event: { kind: 'blocked_auth', job } }
  channel.dispatchEvent(new MessageEvent('message', { data }))
  expect(toastStore.snapshot()).toBeNull()
  pageQueues().setUser(7)
  channel.dispatchEvent(new MessageEvent('message', { data }))
  expect(toastStore.snapshot()).toMatchObject({ kind: 'destructive' })
  pageQueues().setUser(undefined)
})

test('a database error at sign-in does not park the recording', async () => {
  await testServer({})
  const db = uploadDatabase()
  await db.jobs.add(anUploadJob({ state: 'blocked_auth' }))
  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  pageQueues().setUser(undefined)
  vi.spyOn(db, 'transaction').mockImplementationOnce(() => Promise.reject(lost) as never)
  pageQueues().setUser(7)
  await vi.waitFor(async () => expect((await db.jobs.get('a'))!.state).not.toBe('blocked_auth'), 5_000)
  pageQueues().setUser(undefined)
}, 20_000)

describe('the toast of an event', () => {
  let seq = 0
  const change = (kind: string, given: object, { watched = true } = {}) => {
    seq += 1
    if (watched) watchFor(seq)
    const entry = { seq, kind: 'teaching', op: 'edit', attempts: 0, uid: 'a', mutationId: 'm', ...given }
    return says({ about: 'change', event: { kind, entry } })
  }
  const upload = (kind: string, given: object) =>
    says({ about: 'upload', event: { kind, job: anUploadJob(given) } })
  const says = (data: object) => {
    toastStore.set(null)
    pageQueues().setUser(7)
    channel.dispatchEvent(new MessageEvent('message', { data }))
    return toastStore.snapshot()
  }

  test.each([
    [{ op: 'edit' }, teachingTexts.updated, undefined],
    [{ op: 'delete' }, teachingTexts.deleted, 'Undo'],
    [{ op: 'restore' }, binTexts.restored, undefined],
    [{ kind: 'series', op: 'create' }, seriesTexts.created, undefined],
    [{ kind: 'series', op: 'edit' }, seriesTexts.updated, undefined],
    [{ kind: 'series', op: 'delete' }, seriesTexts.deleted, 'Undo'],
    [{ kind: 'series', op: 'restore' }, seriesTexts.restored, undefined],
  ])('an acknowledged %j says: %s', (given, title, action) => {
    const toast = change('done', given, { watched: false })
    expect([toast?.title, toast?.action?.label]).toEqual([title, action])
  })

  test('only its own page shows that a change waits', () => {
    expect(change('retrying', { op: 'delete' })).toMatchObject({
      title: outboxTexts.savedHere,
      action: { label: 'Undo' },
    })
    expect(change('retrying', {}, { watched: false })).toBeNull()
  })

  test.each([
    [{ op: 'edit' }, teachingTexts.updateFailed],
    [{ op: 'delete' }, teachingTexts.deleteFailed],
    [{ kind: 'series', op: 'edit' }, seriesTexts.saveFailed],
    [{ kind: 'series', op: 'delete' }, seriesTexts.deleteFailed],
  ])('a refused %j says: %s', (given, description) => {
    for (const kind of ['conflict', 'rejected']) {
      expect(change(kind, given)).toMatchObject({ description, kind: 'destructive' })
      expect(change(kind, given, { watched: false })).toBeNull()
    }
  })

  test('is shown by the visible page alone', () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    expect(change('done', {})).toBeNull()
  })

  test.each([
    ['done', {}, uploadTexts.completedUnseen],
    [
      'done',
      { teaching: aTeaching() },
      { title: uploadTexts.uploaded, description: 'Hope in Christ', displayMs: uploadedToastMs },
    ],
    ['duplicate', {}, uploadTexts.duplicate],
    ['rejected', { lastError: { code: 'x', sentence: 'No.' } }, uploadTexts.failed('No.')],
    ['timeout', {}, uploadTexts.timeout],
    ['done', { replace: { teachingId: 1, baseRev: 1 } }, { title: teachingTexts.updated }],
    ['timeout', { replace: { teachingId: 1, baseRev: 1 } }, uploadTexts.timeout],
    ['rejected', { replace: { teachingId: 1, baseRev: 1 } }, { description: teachingTexts.updateFailed }],
  ])('an upload that is %s: %j', (kind, given, toast) => {
    expect(upload(kind, given)).toMatchObject(toast)
  })

  test.each([
    ['a change that its page waits for', () => change('blocked_auth', {}), true],
    ['a change of another page', () => change('blocked_auth', {}, { watched: false }), false],
    ['an upload of this page', () => upload('blocked_auth', { createdAt: Date.now() + 1_000 }), true],
    ['an upload of an earlier page', () => upload('blocked_auth', { createdAt: 5 }), false],
  ])('tells the end of the session to its page: %s', (_, happens, isTold) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const asked = vi.spyOn(queryClient, 'invalidateQueries')
    expect(happens()?.title).toBe(isTold ? authTexts.unauthorized.title : undefined)
    // Without a toast the page itself asks again who is signed in.
    expect(asked.mock.calls).toEqual(isTold ? [] : [[{ queryKey: [auth.currentUser.path] }]])
    const left = vi.spyOn(location, 'assign').mockReturnValue()
    vi.advanceTimersByTime(signInRedirectMs - 1)
    expect(left).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(left.mock.calls).toEqual(isTold ? [[signInAddress()]] : [])
  })

  test('no redirect leaves unfinished work', () => {
    onTestFinished(holdPage())
    expect(change('blocked_auth', {})).toBeNull()
  })

  test('a deletion refetches the bins that are shown', () => {
    const asked = vi.spyOn(queryClient, 'invalidateQueries')
    change('done', { op: 'edit' })
    expect(asked).not.toHaveBeenCalled()
    change('done', { op: 'delete' })
    const { predicate } = asked.mock.calls[0]![0] as { predicate: (query: object) => boolean }
    const keys = [['/api/admin/bin/series'], ['/api/elders'], [7]]
    expect(keys.map((queryKey) => predicate({ queryKey }))).toEqual([true, false, false])
  })
})
