import { createHash, randomBytes } from 'node:crypto'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { settlementNotes } from '../../cluster/cluster.ts'
import { databaseLocks } from '../../db/locks.ts'
import { diskBlobStore } from '../../machine/storage/disk-blob-store.ts'
import { diskStorage } from '../../machine/storage/disk-storage.ts'
import { databaseAddress } from '../../testing/database-address.ts'
import { freePort } from '../../testing/free-port.ts'
import { startServer } from '../../testing/server-process.ts'
import { testApp } from '../../testing/test-app.ts'
import { columnsOf, insertTeaching } from '../teachings/teachings.ts'
import { clearSettlements } from './uploads.ts'

const app = await testApp()
const { context } = app
const { sql } = context
const notes = () => sql`select 1 from settlements`

/** A process that stored a recording and did not write its row. */
async function beside() {
  const locks = await databaseLocks(app.place, sql)
  const storage = diskStorage(app.dataDir, {
    owner: locks.owner,
    blobs: diskBlobStore(app.dataDir),
    notes: settlementNotes(sql, locks.owner),
  })
  const staged = await storage.stage()
  const bytes = randomBytes(1000)
  await staged.write([bytes])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const name = `${sha256}.mp3`
  const settlement = await storage.settle(staged, 'audio', name)
  return { locks, name, sha256, settlement }
}

test('removes a file that an ended process left without row', async () => {
  const { locks, name } = await beside()
  expect(await clearSettlements(context)).toBe(0)
  expect(await context.storage.stat('audio', name)).toBeDefined()
  await locks.close()
  expect(await clearSettlements(context)).toBe(1)
  expect(await context.storage.stat('audio', name)).toBeUndefined()
  expect(await notes()).toEqual([])
})

test('a stored file stays if its row was written', async () => {
  const { locks, name, sha256 } = await beside()
  const columns = columnsOf({ title: 'T', speaker: 'S', date: '2026-11-22', scriptureReference: '' })
  const audio = { audioUrl: `/audio/${name}`, audioSha256: sha256, audioBytes: 1000, audioMime: 'audio/mpeg' }
  await sql.begin((tx) => insertTeaching(tx, { ...columns, ...audio }))
  await locks.close()
  expect(await clearSettlements(context)).toBe(0)
  expect(await context.storage.stat('audio', name)).toBeDefined()
  expect(await notes()).toEqual([])
})

test('the note of a file goes with keep or undo', async () => {
  const kept = await beside()
  expect(await notes()).toHaveLength(1)
  await kept.settlement.keep()
  expect(await notes()).toEqual([])
  const undone = await beside()
  await undone.settlement.undo()
  expect(await notes()).toEqual([])
  expect(await context.storage.stat('audio', undone.name)).toBeUndefined()
  for (const { locks } of [kept, undone]) await locks.close()
})

test('a server starts while its bucket does not answer', async () => {
  const { locks } = await beside()
  await locks.close()
  const server = await startServer(path.join(app.dataDir, 'server'), {
    DATABASE_URL: (await databaseAddress(app.place)).url,
    S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    S3_BUCKET: 'recordings',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
  })
  onTestFinished(() => server.kill())
  expect((await fetch(`${server.url}/api/teachings`)).status).toBe(200)
  const ready = await fetch(`${server.url}/api/health/ready`)
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'bucket_unreachable' }])
  // The next look at it may find the bucket there.
  expect(await notes()).toHaveLength(1)
})
