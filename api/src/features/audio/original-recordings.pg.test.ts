import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'
import { planBackup } from '../backup/backup-plan.ts'
import { cleanUpAudio } from './storage-care.ts'
import { originalName, removeBackedUpOriginals } from './original-recordings.ts'

const app = await testApp()
const { context } = app
const { sql, storage } = context
const person = await app.signedIn('user')
const tus = tusClient(person, (await call(auth.csrfToken, {}, person)).csrfToken)
const folder = await mkdtemp(path.join(tmpdir(), 'originals-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A file of a phone, whose container browsers do not all play. */
const phone = await fixture('samsung.3gp')
const sha256 = createHash('sha256').update(phone).digest('hex')
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }

async function arrive(bytes: Buffer): Promise<string> {
  const id = uuidv7(Date.now())
  await tus.create(bytes.length, { jobId: id, filename: 'a.mp3' })
  await tus.patch(id, 0, bytes)
  return id
}
const finalize = (id: string, more: object = {}) =>
  call(uploads.finalize, { params: { id }, body: { ...fields, ...more } }, person)
const kept = async () => (await storage.stat('audio', originalName(sha256)))?.bytes
const rows = async () => (await sql`select 1 from original_recordings`).length

beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from original_recordings`
  await sql`delete from backups`
  await storage.remove('audio', originalName(sha256))
})

test('a refused recording leaves no original', async () => {
  await finalize(await arrive(phone))
  await expect(finalize(await arrive(phone), { title: 'Other' })).rejects.toMatchObject({ status: 409 })
  expect(await rows()).toBe(1)
  await sql`delete from teachings`
  await sql`delete from original_recordings`
  await storage.remove('audio', originalName(sha256))
  await finalize(await arrive(await fixture('cbr.mp3')))
  expect(await rows()).toBe(0)
  await expect(finalize(await arrive(phone))).rejects.toMatchObject({ status: 409 })
  expect([await rows(), await kept()]).toEqual([0, undefined])
})

test('the original stays if the same bytes are refused at the same time', async () => {
  const ids = await Promise.all([arrive(phone), arrive(phone), arrive(phone)])
  const results = await Promise.allSettled(ids.map((id) => finalize(id)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect([await rows(), await kept()]).toEqual([1, phone.length])
})

test('the original stays until a complete backup has it', async () => {
  const { teaching } = await finalize(await arrive(phone))
  expect(teaching.audioUrl).toMatch(/\.m4a$/)
  expect(teaching.audioUrl).not.toContain(sha256)
  expect(await kept()).toBe(phone.length)
  await cleanUpAudio(context, null)
  await removeBackedUpOriginals(context)
  expect(await kept()).toBe(phone.length)

  const plan = await planBackup(context)
  // The recording and its original.
  expect(plan.files).toBe(2)
  const row = { id: plan.id, kind: 'weekly', actor: 'x', fileName: 'x.zip', bytes: 1, files: 1 }
  const startedAt = new Date(context.clock.now().getTime() + 1_000)
  await sql`insert into backups ${sql({ ...row, startedAt, userId: null, process: 'x', result: 'interrupted' })}`
  await removeBackedUpOriginals(context)
  expect(await kept()).toBe(phone.length)
  await sql`update backups set result = 'complete'`
  await removeBackedUpOriginals(context)
  expect([await rows(), await kept()]).toEqual([0, undefined])
})

test('a recording whose end is missing is published once a person accepts that', async () => {
  const whole = await fixture('speech.wav')
  const id = await arrive(whole.subarray(0, whole.length / 2))
  for (const _ of [1, 2]) {
    await expect(finalize(id)).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(
        /"present":"0:01","whole":"0:03".*"code":"cut_off"|"code":"cut_off".*0:01/,
      ) as string,
    })
  }
  const { teaching } = await finalize(id, { acceptCutOff: true })
  expect(teaching.duration).toBe('0:01')
  const stored = await readFile(path.join(app.dataDir, teaching.audioUrl!))
  expect(stored.readUInt32LE(stored.indexOf('data') + 4)).toBe(stored.length - stored.indexOf('data') - 8)
  await writeFile(path.join(folder, 'x.wav'), stored)
  expect((await finalize(id, { acceptCutOff: true })).teaching.uid).toBe(teaching.uid)
})
