import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { appendDelete, applyOutbox } from '@fellowship/sync/client/outbox/outbox'
import { beforeEach, expect, test } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { undoDeletion } from './undo-deletion.ts'

const row = aTeaching({ rev: 5 })
const undoPath = `/api/teachings/${row.id}/undo-delete`
const db = appDatabase()

/** A deletion that waits here, and the press on its Undo while the toast says that it was saved here. */
async function deletion() {
  const entry = await appendDelete(db, row, { userId: 7, now: 0 })
  return { entry, press: () => undoDeletion(entry, false)!.onPress() }
}

beforeEach(() => db.outbox.clear())

test('Undo of a deletion that may have been sent shows it again, and waits to ask the server for it', async () => {
  await testServer({})
  const { press } = await deletion()
  press()
  await expect.poll(() => db.outbox.toArray()).toMatchObject([{ op: 'restore', state: 'queued' }])
  expect(applyOutbox([row], await db.outbox.toArray())).toEqual([row])
})

test('Undo of one that was acknowledged since the toast came up asks the server at once', async () => {
  const received = await testServer({ [`POST ${undoPath}`]: () => ({ body: row }) })
  const { entry, press } = await deletion()
  await db.outbox.delete(entry.seq)
  press()
  await expect.poll(() => received.map(({ path }) => path)).toContain(undoPath)
})
