import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { appendDelete, applyOutbox } from '@fellowship/sync/client/outbox/outbox'
import { beforeEach, expect, test } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { undoDeletion } from './page-queues.ts'

const row = aTeaching({ rev: 5 })
const undoPath = `/api/teachings/${row.id}/undo-delete`
const db = appDatabase()

/** A queued deletion, and a press on Undo while its toast is still open. */
async function deletion() {
  const entry = await appendDelete(db, row, { userId: 7, now: 0 })
  return { entry, press: () => undoDeletion(entry, false)!.onPress() }
}

beforeEach(() => db.outbox.clear())

test('undoing a possibly sent deletion queues the restore', async () => {
  const received = await testServer({})
  const { press } = await deletion()
  press()
  await expect.poll(() => db.outbox.toArray()).toMatchObject([{ op: 'restore', state: 'queued' }])
  expect(applyOutbox([row], await db.outbox.toArray())).toEqual([row])
  await new Promise((done) => setTimeout(done, 50))
  expect(received.map(({ path }) => path)).not.toContain(undoPath)
})

test('undoing an acknowledged deletion asks the server at once', async () => {
  const received = await testServer({ [`POST ${undoPath}`]: () => ({ body: row }) })
  const { entry, press } = await deletion()
  await db.outbox.delete(entry.seq)
  press()
  await expect.poll(() => received.map(({ path }) => path)).toContain(undoPath)
})
