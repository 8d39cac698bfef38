import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { system } from '@fellowship/schema/system/system.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { fixture } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'
import { checkRecordingsAtStart, walkRecordings } from './audio.ts'

const app = await testApp()
const { context } = app
const { sql, storage } = context
const admin = await app.signedIn('admin')
const person = await app.signedIn('user')
const tus = tusClient(person, (await call(auth.csrfToken, {}, person)).csrfToken)
const mp3 = await fixture('cbr.mp3')
const wav = await fixture('speech.wav')

beforeEach(async () => {
  await sql`delete from uploads`
  await sql`delete from teachings`
  await sql`delete from recording_checks`
  await sql`delete from chore_runs`
  await sql`delete from audit_log`
  for await (const { name } of storage.list('audio')) await storage.remove('audio', name)
  context.changes.announce()
})

const hope = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }
const faith = { ...hope, title: 'Faith', scriptureReference: 'Romans 4' }
const fileOf = (bytes: Buffer, extension: string) =>
  path.join(app.dataDir, 'audio', `${createHash('sha256').update(bytes).digest('hex')}.${extension}`)

/** Sends a recording over the resumable protocol and finalizes it. */
async function send(bytes: Buffer, fields: object): Promise<Teaching> {
  const id = uuidv7(Date.now())
  expect((await tus.create(bytes.length, { jobId: id, filename: 'a.mp3' })).status).toBe(201)
  expect((await tus.patch(id, 0, bytes)).status).toBe(204)
  return (await call(uploads.finalize, { params: { id }, body: fields }, person)).teaching
}

async function recordingsLine() {
  const { health } = await call(system.info, {}, admin)
  return health.find(({ id }) => id === 'recordings')!
}

/** Other bytes of the same length, as on a failing disk. */
const spoiled = (bytes: Buffer) => Buffer.concat([Buffer.from('xxxx'), bytes.subarray(4)])
const lastWalkDaysAgo = (days: number) =>
  sql`update chore_runs set ran_at = now() - make_interval(days => ${days})`
const auditActions = async () =>
  (await sql<{ action: string; subject: string }[]>`select action, subject from audit_log order by id`).map(
    ({ action, subject }) => `${action} ${subject}`,
  )

test.each([
  [
    'cut short',
    (file: string) => writeFile(file, mp3.subarray(0, 100)),
    '1 recording is damaged: send it again.',
  ],
  ['gone', (file: string) => rm(file), '1 recording is missing: send it again.'],
  [
    'a folder now',
    async (file: string) => {
      await rm(file)
      await mkdir(file)
    },
    '1 recording is missing: send it again.',
  ],
])('the start reports a file that is %s; uploading repairs it', async (_, spoil, sentence) => {
  const teaching = await send(mp3, hope)
  const file = fileOf(mp3, 'mp3')
  await spoil(file)
  await checkRecordingsAtStart(context)
  const line = await recordingsLine()
  expect(line).toMatchObject({ state: 'bad', sentence })
  expect(line.advice).toContain('Hope, John Smith, 22 November 2026')

  // As the dialog does it: the same recording as the teaching's new audio.
  await send(mp3, { ...hope, teachingId: teaching.id, baseRev: teaching.rev })
  expect((await readFile(file)).equals(mp3)).toBe(true)
  expect(await recordingsLine()).toMatchObject({ state: 'good', advice: '' })
  expect(await auditActions()).toContain('audio.mended Hope')
})

test('a refused duplicate repairs the damaged file', async () => {
  await send(mp3, hope)
  const file = fileOf(mp3, 'mp3')
  await writeFile(file, spoiled(mp3))
  expect(await refusal(send(mp3, faith))).toMatchObject({
    code: 'duplicate',
    body: { error: uploadTexts.mended },
  })
  expect((await readFile(file)).equals(mp3)).toBe(true)
  expect(await auditActions()).toEqual(['teaching.uploaded Hope', 'audio.mended Hope'])
  expect(await refusal(send(mp3, faith))).toMatchObject({
    code: 'duplicate',
    body: { error: expect.stringContaining(uploadTexts.duplicateMark) as string, sameRecording: true },
  })
})

test('truncated audio is never cached', async () => {
  const { audioUrl } = await send(mp3, hope)
  const kept = async () => {
    const { status, headers } = await fetch(app.url + audioUrl!, { method: 'HEAD' })
    return [status, headers.get('content-length'), headers.get('cache-control')]
  }
  await writeFile(fileOf(mp3, 'mp3'), mp3.subarray(0, 100))
  expect(await kept()).toEqual([200, '100', 'no-store'])
  await refusal(send(mp3, faith))
  // A file stays open for a moment.
  const whole = [200, String(mp3.length), 'public, max-age=31536000, immutable, no-transform']
  await vi.waitFor(async () => expect(await kept()).toEqual(whole), { timeout: 15_000, interval: 200 })
})

test('a folder in place of a file stays untouched', async () => {
  await send(mp3, hope)
  const file = fileOf(mp3, 'mp3')
  await rm(file)
  await mkdir(file)
  await writeFile(path.join(file, 'somebody’s'), 'words')
  expect(await storage.open('audio', path.basename(file))).toBeUndefined()
  expect(await storage.remove('audio', path.basename(file))).toBe(false)
  await refusal(send(mp3, faith))
  expect((await readFile(file)).equals(mp3)).toBe(true)
  const [aside] = (await readdir(path.dirname(file))).filter((name) => name !== path.basename(file))
  expect(await readdir(path.join(path.dirname(file), aside!))).toEqual(['somebody’s'])
  await rm(path.join(path.dirname(file), aside!), { recursive: true })
})

test('damaged bytes do not replace an intact file', async () => {
  await send(mp3, hope)
  const id = uuidv7(Date.now())
  const sha256 = createHash('sha256').update(mp3).digest('hex')
  await tus.create(mp3.length, { jobId: id, filename: 'a.mp3', sha256 })
  await tus.patch(id, 0, spoiled(mp3))
  expect(await refusal(call(uploads.finalize, { params: { id }, body: hope }, person))).toMatchObject({
    code: 'upload_damaged',
  })
  expect((await readFile(fileOf(mp3, 'mp3'))).equals(mp3)).toBe(true)
})

test('the weekly check finds changed bytes and clears repaired faults', async () => {
  await send(mp3, hope)
  await send(wav, faith)
  const file = fileOf(mp3, 'mp3')
  await writeFile(file, spoiled(mp3))
  await checkRecordingsAtStart(context)
  expect(await recordingsLine()).toMatchObject({ state: 'good' })
  // A quarter of two recordings is one of them, the longest unseen first: both after two walks.
  expect(await walkRecordings(context)).toBe(true)
  expect(await walkRecordings(context)).toBe(false)
  await lastWalkDaysAgo(6)
  expect(await walkRecordings(context)).toBe(false)
  await lastWalkDaysAgo(8)
  expect(await walkRecordings(context)).toBe(true)
  expect(await recordingsLine()).toMatchObject({
    state: 'bad',
    sentence: '1 recording is damaged: send it again.',
  })

  await writeFile(file, mp3)
  await checkRecordingsAtStart(context)
  expect(await recordingsLine()).toMatchObject({
    state: 'good',
    sentence:
      'The files of all 2 recordings are there; 2 were compared with the checksum in the last four weeks.',
  })
})

test('a check last run in the future is due', async () => {
  await send(mp3, hope)
  await walkRecordings(context)
  await lastWalkDaysAgo(-400)
  expect(await walkRecordings(context)).toBe(true)
})
