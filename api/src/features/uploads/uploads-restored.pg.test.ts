import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { emptyText, textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call, type Transport } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { UploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import { requestRate } from '@fellowship/sync/client/engine/rate'
import { drain } from '@fellowship/sync/client/outbox/outbox-drain'
import { appendDelete, appendEdit, decide, readOutbox } from '@fellowship/sync/client/outbox/outbox'
import { addFile } from '@fellowship/sync/client/uploads/upload-copy'
import { retryUpload } from '@fellowship/sync/client/uploads/upload-jobs'
import { runUpload } from '@fellowship/sync/client/uploads/upload-run'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const person = await app.signedIn()
const userId = (await call(auth.currentUser, {}, person)).user!.id
const mp3 = await fixture('cbr.mp3')
const wav = await fixture('speech.wav')
const copying = {
  hold: <T>(_id: string, work: () => Promise<T>) => work(),
  yieldToMain: async () => undefined,
}
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }

const options = () => ({
  now: () => Date.now(),
  random: () => 0,
  rate: requestRate(() => Date.now()),
  onEvent: () => undefined,
  userId: () => userId,
})

/**
 * An upload whose answer to finalize was lost, before a database was restored: backups contain teachings, but no uploads.
 */
async function afterRestore(change: (uid: string) => PromiseLike<unknown>) {
  await sql`delete from teachings`
  const db = new UploadDatabase(`restored-${Math.random()}`)
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
  const run = () => runUpload(db, id, transport, options(), new AbortController().signal)
  await run()
  expect(await db.jobs.get(id)).toMatchObject({ phase: 'arrived', state: 'queued' })
  await sql`delete from uploads`
  await change(id)
  isLost = false
  asked.length = 0
  await run()
  return { job: (await db.jobs.get(id))!, chunks: await db.chunks.count(), asked }
}

test('an upload published before the restore needs four requests', async () => {
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
])('an upload whose teaching %s is a duplicate', async (_, change) => {
  const { job, chunks, asked } = await afterRestore(change)
  expect(job.state).toBe('duplicate')
  expect(chunks).toBeGreaterThan(0)
  expect(asked.length).toBeLessThanOrEqual(6)
})

test('an older backup makes the device send again once', async () => {
  const { job, asked } = await afterRestore((uid) => sql`delete from teachings where uid = ${uid}`)
  expect(job).toMatchObject({ state: 'done', teaching: { uid: job.id } })
  expect(asked.length).toBeLessThanOrEqual(6)
  expect(await call(teachings.list, {}, person)).toHaveLength(1)
})

describe('after a restore gave the resent recording another number', () => {
  const list = () => call(teachings.list, {}, person)
  const author = { userId, now: 0 }

  /** The teaching as another device knows it, and as it is now. */
  async function underAnotherNumber() {
    let before: Teaching | undefined
    const { job } = await afterRestore(async (uid) => {
      before = (await list()).find((row) => row.uid === uid)
      await sql`delete from teachings where uid = ${uid}`
    })
    expect(job.teaching!.id).not.toBe(before!.id)
    const db = new AppDatabase(`renumbered-${Math.random()}`)
    const send = async () => {
      await drain(db, person, options())
      return readOutbox(db, userId)
    }
    return { before: before!, now: job.teaching!, db, send }
  }

  /** Sends a replacement of its recording that another device made before the restore. */
  async function replaceRecording(replace: NonNullable<UploadJob['replace']>) {
    const db = new UploadDatabase(`replacement-${Math.random()}`)
    const file = new File([new Uint8Array(wav)], 'b.wav')
    const id = (await addFile(db, file, { fields, ownerUserId: userId, now: 1, replace }, copying))!
    const run = async () => {
      await runUpload(db, id, person, options(), new AbortController().signal)
      return (await db.jobs.get(id))!
    }
    return { db, id, run, job: await run() }
  }

  test('deleting the old number conflicts, then deletes the teaching', async () => {
    const { before, now, db, send } = await underAnotherNumber()
    const { mutationId } = await appendDelete(db, before, author)
    expect(await send()).toMatchObject([{ state: 'conflict', current: { id: now.id } }])
    expect(await list()).toMatchObject([{ uid: before.uid }])
    await decide(db, mutationId, 'delete')
    expect(await send()).toEqual([])
    expect(await list()).toEqual([])
  })

  test('an edit under the old number reaches the teaching', async () => {
    const { before, now, db, send } = await underAnotherNumber()
    await appendEdit(db, before, { ...emptyText, ...textOf(before), speaker: 'Ana' }, author)
    expect(await send()).toEqual([])
    expect(await list()).toMatchObject([{ id: now.id, uid: before.uid, speaker: 'Ana' }])
  })

  test('a replacement under the old number needs the new revision', async () => {
    const { before, now } = await underAnotherNumber()
    const { id: teachingId, rev: baseRev, uid } = before
    const { db, id, run, job } = await replaceRecording({ teachingId, baseRev, uid })
    expect(job).toMatchObject({
      state: 'rejected',
      lastError: { code: 'revision_conflict', current: { id: now.id, uid } },
    })
    await retryUpload(db, id, { replace: { teachingId: now.id, baseRev: now.rev, uid } }, Date.now())
    expect(await run()).toMatchObject({ state: 'done', teaching: { id: now.id, audioMime: 'audio/wav' } })
  })

  test('a replacement never reaches another teaching with its number', async () => {
    const { now } = await underAnotherNumber()
    const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e02'
    const { job } = await replaceRecording({ teachingId: now.id, baseRev: now.rev, uid })
    expect(job).toMatchObject({ state: 'rejected', lastError: { code: 'not_found' } })
    expect(await list()).toEqual([now])
  })
})
