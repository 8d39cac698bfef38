import 'fake-indexeddb/auto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { passages } from '@fellowship/schema/passages/passages.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call, type Transport } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { drain, retryNow, unblockEntries } from '@fellowship/sync/client/outbox/outbox-drain'
import { appendDelete, appendEdit, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { localDigests, pull } from '@fellowship/sync/client/replica/pull'
import { readSyncState } from '@fellowship/sync/client/replica/sync-state'
import { decodeCursor } from '@fellowship/sync/protocol/cursor'
import { agrees } from '@fellowship/sync/protocol/digest'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { digestsOfAll } from '@fellowship/sync/server/change-feed'
import { savedBackup } from '../../testing/changed-backup.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { feedOf } from '../sync/sync.ts'
import { columnsOf, insertTeaching } from '../teachings/teachings.ts'
import { restore } from './restore.ts'

type App = Awaited<ReturnType<typeof testApp>>

const folder = await mkdtemp(path.join(tmpdir(), 'restore-devices-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const lost = await testApp()
const admin = await lost.signedIn('admin')
const member = await lost.signedIn('user')

const add = ({ context: { sql } }: App, title: string) =>
  sql.begin((tx) =>
    insertTeaching(tx, {
      ...columnsOf({ title, speaker: 'Ana', date: '2026-11-22', scriptureReference: '' }),
    }),
  ) as Promise<Teaching>
const edit = (row: Teaching, title: string, client: TestClient) =>
  call(teachings.update, { params: { id: row.id }, body: { ...textOf(row), title } }, client)
const addElder = (name: string) => {
  const body = { name, role: 'Elder', shortBio: 'Short', extendedBio: 'Long', displayOrder: 1 }
  return call(elders.create, { body }, admin)
}

/** The rows on the device. */
async function held(db: AppDatabase) {
  return {
    teachings: await db.teachings.orderBy('uid').toArray(),
    elders: await db.elders.orderBy('uid').toArray(),
    passages: await db.passages.orderBy('uid').toArray(),
  }
}
async function served(client: Transport) {
  const sorted = <Row extends { uid: string }>(rows: Row[]) =>
    rows.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
  return {
    teachings: sorted(await call(teachings.list, {}, client)),
    elders: sorted(await call(elders.list, {}, client)),
    passages: sorted(await call(passages.list, {}, client)),
  }
}
const epochOf = async (db: AppDatabase) => decodeCursor((await readSyncState(db)).cursor)?.epoch
const options = { now: () => 0 }

test('a synced device converges with its outbox', async () => {
  // It has the first revision, which a fresh database would assign again.
  const wished = await add(lost, 'Wished')
  const kept = await add(lost, 'Kept')
  const reverted = await add(lost, 'Reverted')
  const deleted = await add(lost, 'Deleted')
  const elder = await addElder('Ana')
  await lost.context.sql`insert into passages (reference, text, translation, copyright_line)
    values ('John 3:16', 'For God so loved …', 'A translation', 'A line')`
  const file = await savedBackup(admin, path.join(folder, 'backup.zip'))

  // Changes after the backup, which the device pulls.
  const added = await add(lost, 'Added')
  await edit(reverted, 'Edited', admin)
  await call(teachings.remove, { params: { id: deleted.id } }, admin)
  await call(elders.remove, { params: { id: elder.id } }, admin)
  await addElder('Hemi')
  const db = new AppDatabase('restored')
  await pull(db, member, options)
  expect(await held(db)).toEqual(await served(member))
  const author = { userId: (await call(auth.currentUser, {}, member)).user!.id, now: 0 }
  await appendEdit(db, kept, { ...textOf(kept), title: 'Kept, and edited on the device' }, author)
  await appendEdit(db, added, { ...textOf(added), scriptureReference: 'John 3:16' }, author)
  await appendDelete(db, wished, author)
  const before = await epochOf(db)

  // A new instance with an empty data folder and database.
  const next = await testApp()
  await restore(next.context, file)
  const later = await add(next, 'Later')
  expect([later.id, later.uid]).not.toEqual([added.id, added.uid])
  const again = next.client()
  await pull(db, again, options)
  expect(await held(db)).toEqual(await served(again))
  const titles = (await held(db)).teachings.map(({ title }) => title).toSorted()
  expect(titles).toEqual(['Deleted', 'Kept', 'Later', 'Reverted', 'Wished'])
  expect((await held(db)).elders).toMatchObject([{ name: 'Ana', uid: elder.uid }])
  expect(await epochOf(db)).not.toBe(before)

  // The restore ended the session, so that the user signs in again.
  const sending = { ...options, userId: () => author.userId, random: () => 0 }
  await drain(db, again, sending)
  expect(await readOutbox(db, author.userId)).toHaveLength(3)
  await call(auth.login, { body: member }, again)
  await unblockEntries(db, author.userId)
  await retryNow(db)
  await drain(db, again, sending)
  expect(await readOutbox(db, author.userId)).toMatchObject([
    { uid: added.uid, state: 'rejected', patch: { scriptureReference: 'John 3:16' } },
    { uid: wished.uid, state: 'conflict', op: 'delete' },
  ])
  await pull(db, again, options)
  expect(await held(db)).toEqual(await served(again))
  const now = await call(teachings.list, {}, again)
  expect(now.find(({ uid }) => uid === kept.uid)?.title).toBe('Kept, and edited on the device')
  expect(now.filter(({ scriptureReference }) => scriptureReference)).toEqual([])
  expect(agrees(await localDigests(db), await feedOf(next.context).consistently(digestsOfAll))).toBe(true)
})
