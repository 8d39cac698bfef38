import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call, type Transport } from '@fellowship/sync/call/call'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { requestRate } from '@fellowship/sync/client/engine/rate'
import { addFile } from '@fellowship/sync/client/uploads/upload-copy'
import { runUpload } from '@fellowship/sync/client/uploads/upload-run'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const person = await app.signedIn()
const userId = (await call(auth.currentUser, {}, person)).user!.id
const mp3 = await fixture('cbr.mp3')
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }

/**
 * An upload whose finalize was answered, but not to the device, and a database that was restored since: teachings are
 * in a backup, uploads are not.
 */
async function afterRestore(change: (uid: string) => PromiseLike<unknown>) {
  await sql`delete from teachings`
  const db = new UploadDatabase(`restored-${Math.random()}`)
  const copying = { hold: <T>(_id: string, work: () => Promise<T>) => work(), breathe: async () => undefined }
  const file = new File([new Uint8Array(mp3)], 'a.mp3')
  const id = (await addFile(db, file, { fields, ownerUserId: userId, now: 1 }, copying))!
  const asked: string[] = []
  let isLost = true
  const transport: Transport = {
    base: person.base,
    fetch: async (input, init) => {
      const { pathname } = new URL(input as string)
      if (pathname !== '/api/csrf-token')
        asked.push(`${init?.method} ${pathname.replace(/[0-9a-f-]{36}/, 'x')}`)
      const answer = await person.fetch(input, init)
      if (isLost && pathname.endsWith('/finalize')) throw new TypeError('Failed to fetch')
      return answer
    },
  }
  const options = {
    now: () => Date.now(),
    random: () => 0,
    rate: requestRate(() => Date.now()),
    onEvent: () => undefined,
    userId: () => userId,
  }
  const run = () => runUpload(db, id, transport, options, new AbortController().signal)
  await run()
  expect(await db.jobs.get(id)).toMatchObject({ phase: 'arrived', state: 'queued' })
  await sql`delete from uploads`
  await change(id)
  isLost = false
  asked.length = 0
  await run()
  return { job: (await db.jobs.get(id))!, chunks: await db.chunks.count(), asked }
}

test('an upload that became a teaching before the restore is done after four requests', async () => {
  const { job, chunks, asked } = await afterRestore(async () => undefined)
  expect(job).toMatchObject({ state: 'done', teaching: { uid: job.id } })
  expect(chunks).toBe(0)
  expect(asked).toEqual([
    'POST /api/uploads/x/finalize',
    'POST /api/uploads',
    'HEAD /api/uploads/x',
    'POST /api/uploads/x/finalize',
  ])
  expect(await call(teachings.list, {}, person)).toHaveLength(1)
})

test.each<[string, (uid: string) => PromiseLike<unknown>]>([
  ['is in the bin', (uid) => sql`update teachings set deleted_at = now() where uid = ${uid}`],
  [
    'has another recording by now',
    (uid) =>
      sql`update teachings set audio_sha256 = ${'0'.repeat(64)}, audio_url = ${`/audio/${'0'.repeat(64)}.mp3`}
          where uid = ${uid}`,
  ],
])('given a teaching that %s, the upload is a duplicate and its bytes stay', async (_, change) => {
  const { job, chunks, asked } = await afterRestore(change)
  expect(job.state).toBe('duplicate')
  expect(chunks).toBeGreaterThan(0)
  expect(asked.length).toBeLessThanOrEqual(6)
})

test('given a backup from before the teaching, the recording is sent again and is there once', async () => {
  const { job, asked } = await afterRestore((uid) => sql`delete from teachings where uid = ${uid}`)
  expect(job).toMatchObject({ state: 'done', teaching: { uid: job.id } })
  expect(asked.length).toBeLessThanOrEqual(6)
  expect(await call(teachings.list, {}, person)).toHaveLength(1)
})
