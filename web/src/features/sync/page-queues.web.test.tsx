import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { expect, test, vi } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { pageQueues } from './page-queues.ts'

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
