import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { idleUploadDays, unfinalizedUploadDays } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import type { CallError } from '@fellowship/sync/call/call-error'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { fixture, storedFiles } from '../../testing/multipart.ts'
import { letDaysPass } from '../../testing/test-db.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'
import { sweepUploads } from './upload-sweep.ts'

const app = await testApp()
const { sql, storage } = app.context
const person = await app.signedIn()
const tus = tusClient(person, (await call(auth.csrfToken, {}, person)).csrfToken)
const mp3 = await fixture('cbr.mp3')
const wav = await fixture('speech.wav')

beforeEach(async () => {
  await sql`delete from uploads`
  await sql`delete from teachings`
  await sql`delete from audio_moved`
  for (const id of await storage.partial.list()) await storage.partial.remove(id)
  for await (const { name } of storage.list('audio')) await storage.remove('audio', name)
  app.context.changes.announce()
})

const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const partial = () => readdir(path.join(app.dataDir, 'uploads'))
const list = () => call(teachings.list, {}, app.client())
const finalize = (id: string, body: object = fields, client = person) =>
  call(uploads.finalize, { params: { id }, body }, client)
async function arrived(
  bytes: Buffer,
  metadata: Record<string, string> = {},
  upTo = bytes.length,
): Promise<string> {
  const id = uuidv7(Date.now())
  expect((await tus.create(bytes.length, { jobId: id, filename: 'a.mp3', ...metadata })).status).toBe(201)
  expect((await tus.patch(id, 0, bytes.subarray(0, upTo))).status).toBe(204)
  return id
}

test('logs an upload that is finalized twice once', async () => {
  await sql`delete from audit_log`
  const id = await arrived(mp3)
  await finalize(id)
  await finalize(id)
  expect(await sql`select actor, action, subject from audit_log`).toEqual([
    { actor: 'A user', action: 'teaching.uploaded', subject: 'Hope' },
  ])
})

describe('finalizing is refused', () => {
  test('finalizing needs its own session and a CSRF token', async () => {
    const id = await arrived(mp3)
    const path = `${app.url}/api/uploads/${id}/finalize`
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    }
    expect((await app.client().fetch(path, init)).status).toBe(401)
    expect((await person.fetch(path, init)).status).toBe(403)
    expect(await refusal(finalize(id, fields, await app.signedIn('admin')))).toMatchObject({ status: 404 })
    expect(await list()).toEqual([])
  })

  test('an unknown or cancelled upload cannot be finalized', async () => {
    expect(await refusal(finalize(uuidv7(0)))).toMatchObject({ status: 404 })
    expect(await refusal(finalize('1'))).toMatchObject({ status: 400 })
    const id = await arrived(mp3)
    await tus.remove(id)
    expect(await refusal(finalize(id))).toMatchObject({ status: 410, code: 'upload_gone' })
  })

  test('finalizing before the last byte is refused', async () => {
    const id = await arrived(mp3, {}, 1000)
    const error = await refusal(finalize(id))
    expect(error).toMatchObject({ status: 409, code: 'upload_incomplete', body: { offset: 1000 } })
    expect((await tus.head(id)).offset).toBe(1000)
  })

  test.each([
    [{ speaker: '' }, 'Speaker name is required'],
    [{ title: '', scriptureReference: '' }, 'Either a title or scripture reference is required'],
    [{ date: '2026-02-30' }, 'A valid date is required'],
  ])('finalizing with %j is 400 and keeps the bytes', async (wrong, sentence) => {
    const id = await arrived(mp3)
    expect(await refusal(finalize(id, { ...fields, ...wrong }))).toMatchObject({ status: 400, sentence })
    expect((await finalize(id)).teaching).toMatchObject({ uid: id, title: 'Hope' })
  })

  test('a wrong hash is 410 and the upload can restart', async () => {
    const id = await arrived(mp3, { sha256: sha256(wav) })
    expect(await refusal(finalize(id))).toMatchObject({ status: 410, code: 'upload_damaged' })
    expect([await partial(), await storedFiles(app.dataDir)]).toEqual([[], { staging: [], audio: [] }])
    expect((await tus.head(id)).status).toBe(404)
    expect((await tus.create(mp3.length, { jobId: id, sha256: sha256(mp3) })).status).toBe(201)
    await tus.patch(id, 0, mp3)
    expect((await finalize(id)).teaching.uid).toBe(id)
  })

  test.each<[string, Buffer, number, string]>([
    ['a file that is not audio', Buffer.from('hello'), 415, 'unsupported_audio'],
    ['a recording that is in the library', mp3, 409, 'duplicate'],
  ])('%s is refused for good, its bytes are removed', async (_, bytes, status, code) => {
    const first = await arrived(mp3)
    const { teaching } = await finalize(first)
    const id = await arrived(bytes)
    for (let time = 0; time < 2; time += 1) {
      expect(await refusal(finalize(id, { ...fields, title: 'Else', date: '2026-01-01' }))).toMatchObject({
        status,
        code,
      })
    }
    expect(await partial()).toEqual([])
    expect((await tus.head(id)).status).toBe(410)
    expect(await list()).toEqual([teaching])
    expect((await tus.create(wav.length, { jobId: id })).status).toBe(201)
    await tus.patch(id, 0, wav)
    expect(
      (await finalize(id, { ...fields, title: 'Faith', date: '2026-01-01', scriptureReference: '' })).teaching
        .uid,
    ).toBe(id)
    expect(await list()).toHaveLength(2)
  })

  test('finalizing over a newer revision is 409 with the row', async () => {
    const { teaching } = await finalize(await arrived(mp3))
    const id = await arrived(wav)
    const body = { ...fields, teachingId: teaching.id, baseRev: teaching.rev - 1 }
    const error = await refusal(finalize(id, body))
    expect(error).toMatchObject({ status: 409, code: 'revision_conflict', body: { current: teaching } })
    expect((await finalize(id, { ...body, baseRev: teaching.rev })).teaching).toMatchObject({
      id: teaching.id,
      audioUrl: `/audio/${sha256(wav)}.wav`,
    })
    expect(await list()).toHaveLength(1)
  })
})

describe('a finalized upload', () => {
  test("the teaching has the upload's id and bytes", async () => {
    const id = await arrived(mp3, { sha256: sha256(mp3) })
    const { teaching } = await finalize(id)
    expect(teaching).toMatchObject({ uid: id, title: 'Hope', duration: expect.any(String) as string })
    const sent = await fetch(app.url + teaching.audioUrl!)
    expect(Buffer.from(await sent.arrayBuffer()).equals(mp3)).toBe(true)
    expect([await partial(), (await storedFiles(app.dataDir)).staging]).toEqual([[], []])
  })

  test('takes missing fields from the file name', async () => {
    const id = await arrived(mp3, { filename: '2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3' })
    expect((await finalize(id, { title: 'Faith' })).teaching).toMatchObject({
      title: 'Faith',
      speaker: 'John Smith',
    })
  })

  test('finalizing again returns the first answer', async () => {
    const id = await arrived(mp3)
    const first = await finalize(id)
    expect(await finalize(id)).toEqual(first)
    expect(await finalize(id, { ...fields, title: 'Else' })).toEqual(first)
    expect((await tus.head(id)).offset).toBe(mp3.length)
    expect(await tus.create(mp3.length, { jobId: id })).toMatchObject({ status: 409 })
    expect(await list()).toEqual([first.teaching])
    await call(teachings.remove, { params: { id: first.teaching.id } }, person)
    expect(await finalize(id)).toEqual(first)
    expect(await list()).toEqual([])
  })

  test('finalizing many times at once creates one teaching', async () => {
    const id = await arrived(mp3)
    const answers = await Promise.all(Array.from({ length: 6 }, () => finalize(id)))
    expect(new Set(answers.map(({ teaching }) => teaching.rev)).size).toBe(1)
    expect(await list()).toHaveLength(1)
  })

  test('cancelling while finalizing gives two answers that agree', async () => {
    for (let round = 0; round < 6; round += 1) {
      await sql`delete from teachings`
      app.context.changes.announce()
      const id = await arrived(mp3)
      const [finalized, removed] = await Promise.all([
        finalize(id).then(
          () => 200,
          (error: CallError) => error.status,
        ),
        tus.remove(id),
      ])
      const outcome = [finalized, removed.status, (await list()).length]
      expect([
        [200, 409, 1],
        [410, 204, 0],
      ]).toContainEqual(outcome)
      if (removed.status === 409) expect(removed.body['code']).toBe('upload_finished')
      expect(await partial()).toEqual([])
    }
  })

  test('finalizing one recording twice at once creates one teaching', async () => {
    const ids = [await arrived(mp3), await arrived(mp3)]
    const answers = await Promise.allSettled(ids.map((id) => finalize(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await list()).toHaveLength(1)
    expect(await storedFiles(app.dataDir)).toMatchObject({ staging: [], audio: { length: 1 } })
  })

  test('an upload keeps its bytes if the transaction fails', async () => {
    const id = await arrived(mp3)
    await sql`alter table teachings add constraint out_of_order check (title <> 'Hope') not valid`
    expect(await refusal(finalize(id))).toMatchObject({ status: 500 })
    expect(await storedFiles(app.dataDir)).toEqual({ staging: [], audio: [] })
    await sql`alter table teachings drop constraint out_of_order`
    expect((await finalize(id)).teaching.uid).toBe(id)
  })
})

describe('a client that does not call finalize', () => {
  const complete = { filename: 'a.mp3', ...fields }

  test('a stock client receives the refusal at its last byte', async () => {
    await finalize(await arrived(mp3))
    const id = uuidv7(Date.now())
    await tus.create(mp3.length, { jobId: id, ...complete })
    expect(await tus.patch(id, 0, mp3)).toMatchObject({ status: 422, body: { code: 'duplicate' } })
    expect((await tus.head(id)).status).toBe(410)
    expect(await list()).toHaveLength(1)
  })

  test("a stock client's last byte creates the teaching", async () => {
    const id = await arrived(mp3, complete)
    const rows = await list()
    expect(rows).toMatchObject([{ uid: id, ...fields }])
    expect((await finalize(id)).teaching).toEqual(rows[0])
    expect((await tus.head(id)).offset).toBe(mp3.length)
  })

  test('all bytes may come with the creation', async () => {
    const id = uuidv7(Date.now())
    const metadata = Object.entries({ jobId: id, ...complete })
      .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
      .join(',')
    const made = await tus.send(
      'POST',
      '/api/uploads',
      {
        'upload-length': String(mp3.length),
        'upload-metadata': metadata,
        'content-type': 'application/offset+octet-stream',
      },
      new Uint8Array(mp3),
    )
    expect(made.status).toBe(201)
    expect(await list()).toMatchObject([{ uid: id }])
  })

  test('HEAD or the sweep finalizes after a failed last request', async () => {
    for (const help of [(id: string) => tus.head(id), () => sweepUploads(app.context)]) {
      await sql`delete from teachings`
      app.context.changes.announce()
      const id = uuidv7(Date.now())
      await tus.create(mp3.length, { jobId: id, ...complete })
      await sql`alter table teachings add constraint out_of_order check (title <> 'Hope') not valid`
      expect((await tus.patch(id, 0, mp3)).status).toBe(500)
      await sql`alter table teachings drop constraint out_of_order`
      expect(await list()).toEqual([])
      await help(id)
      expect(await list()).toMatchObject([{ uid: id }])
    }
  })
})

describe('the sweep', () => {
  test('the sweep keeps resumable uploads', async () => {
    const half = await arrived(mp3, {}, 1000)
    const whole = await arrived(wav)
    await letDaysPass(sql, idleUploadDays - 1)
    await sweepUploads(app.context)
    expect((await tus.head(half)).offset).toBe(1000)
    await tus.patch(half, 1000, mp3.subarray(1000, 2000))
    await letDaysPass(sql, 2)
    await sweepUploads(app.context)
    expect([(await tus.head(half)).offset, (await tus.head(whole)).offset]).toEqual([2000, wav.length])
  })

  test('the sweep deletes partial and whole uploads by age', async () => {
    const half = await arrived(mp3, {}, 1000)
    const whole = await arrived(wav)
    await letDaysPass(sql, idleUploadDays + 1)
    await sweepUploads(app.context)
    expect([(await tus.head(half)).status, (await tus.head(whole)).status]).toEqual([404, 200])
    await letDaysPass(sql, unfinalizedUploadDays - idleUploadDays)
    await sweepUploads(app.context)
    expect((await tus.head(whole)).status).toBe(404)
    expect(await partial()).toEqual([])
    expect((await tus.create(mp3.length, { jobId: half })).status).toBe(201)
  })

  test('the sweep removes orphaned files and cancelled uploads', async () => {
    const cancelled = await arrived(mp3)
    await tus.remove(cancelled)
    const done = await arrived(wav)
    await finalize(done)
    for (const id of [cancelled, done, uuidv7(0)]) {
      await storage.partial.append(id, Readable.from([Buffer.from('left')]))
    }
    await letDaysPass(sql, unfinalizedUploadDays + 1)
    await sweepUploads(app.context)
    expect(await partial()).toEqual([])
    expect((await tus.head(cancelled)).status).toBe(404)
    expect((await tus.head(done)).status).toBe(200)
  })
})
