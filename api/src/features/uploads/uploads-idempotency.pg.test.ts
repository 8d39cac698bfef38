import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture, storedFiles } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const person = await app.signedIn()
const other = await app.signedIn()
const mp3 = await fixture('cbr.mp3')
const wav = await fixture('speech.wav')
const m4a = await fixture('slow.m4a')

let teaching: Teaching
beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from audio_moved`
  for await (const { name } of app.context.storage.list('audio'))
    await app.context.storage.remove('audio', name)
  const name = '2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3'
  teaching = (await call(uploads.smartUpload, { files: { audioFile: fileOf(mp3, name) } }, person)).teaching
})

const fileOf = (bytes: Buffer, name = 'new.bin') => new File([new Uint8Array(bytes)], name)
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }
const edit = (key: string, body: object = {}, file?: File, client = person, id = teaching.id) =>
  call(
    teachings.update,
    {
      params: { id },
      body: { ...fields, ...body },
      files: { audioFile: file },
      headers: { 'idempotency-key': key },
    },
    client,
  )
const revision = async () =>
  (await sql<{ rev: number }[]>`select rev::int as rev from teachings where id = ${teaching.id}`)[0]!.rev

describe('refused', () => {
  test.each(['', 'again', '123e4567-e89b-12d3-a456'])(
    'the malformed key %j is 400 without a write',
    async (key) => {
      expect(await refusal(edit(key, {}, fileOf(wav)))).toMatchObject({ status: 400, code: 'invalid_input' })
      expect(await revision()).toBe(teaching.rev)
      expect((await storedFiles(app.dataDir)).audio).toHaveLength(1)
    },
  )

  test('a queued change of another user is 401', async () => {
    const [me, them] = await sql<{ id: number }[]>`select id from users order by id`
    const headers = { 'x-acting-user': String(them!.id) }
    const asMe = { params: { id: teaching.id }, headers }
    const refused = { status: 401, code: 'unauthorized' }
    expect(await refusal(call(teachings.update, { ...asMe, body: fields }, person))).toMatchObject(refused)
    expect(await refusal(call(teachings.remove, { ...asMe, query: {} }, person))).toMatchObject(refused)
    expect(await revision()).toBe(teaching.rev)
    const own = { 'x-acting-user': String(me!.id) }
    expect((await call(teachings.update, { ...asMe, headers: own, body: fields }, person)).title).toBe('Hope')
  })

  test('one key with different contents is 422', async () => {
    const key = randomUUID()
    const done = await edit(key, { baseRev: teaching.rev }, fileOf(wav))
    const mismatch = { status: 422, code: 'idempotency_mismatch' }
    expect(await refusal(edit(key, { title: 'Else', baseRev: teaching.rev }, fileOf(wav)))).toMatchObject(
      mismatch,
    )
    expect(await refusal(edit(key, { baseRev: done.rev }, fileOf(wav)))).toMatchObject(mismatch)
    expect(await refusal(edit(key, { baseRev: teaching.rev }, fileOf(m4a)))).toMatchObject(mismatch)
    expect(await refusal(edit(key, { baseRev: teaching.rev }))).toMatchObject(mismatch)
    expect(
      await refusal(edit(key, { baseRev: teaching.rev }, fileOf(wav), person, teaching.id + 1)),
    ).toMatchObject(mismatch)
    expect(await refusal(edit(key, { baseRev: teaching.rev }, fileOf(wav), other))).toMatchObject(mismatch)
    expect(await revision()).toBe(done.rev)
    expect(await storedFiles(app.dataDir)).toMatchObject({ staging: [], audio: { length: 2 } })
  })

  test('a refusal is not stored under its key', async () => {
    const key = randomUUID()
    const between = await edit(randomUUID(), { title: 'Between' })
    expect(await refusal(edit(key, { baseRev: teaching.rev }))).toMatchObject({ code: 'revision_conflict' })
    expect(await edit(key, { baseRev: between.rev })).toMatchObject({ title: 'Hope' })
  })
})

describe('a repeated key', () => {
  test('a repeated key returns the first answer', async () => {
    const key = randomUUID()
    const first = await edit(key, { baseRev: teaching.rev })
    expect(await edit(key, { baseRev: teaching.rev })).toEqual(first)
    expect(await revision()).toBe(first.rev)
  })

  test('a repeated key leaves later edits alone', async () => {
    const key = randomUUID()
    const first = await edit(key, { baseRev: teaching.rev })
    const later = await edit(randomUUID(), { title: 'Later', baseRev: first.rev })
    expect(await edit(key.toUpperCase(), { baseRev: teaching.rev })).toEqual(first)
    expect(await revision()).toBe(later.rev)
  })

  test('a repeated recording returns the first answer', async () => {
    const key = randomUUID()
    const first = await edit(key, { baseRev: teaching.rev }, fileOf(wav))
    expect(await edit(key, { baseRev: teaching.rev }, fileOf(wav))).toEqual(first)
    const later = await edit(randomUUID(), {}, fileOf(m4a))
    expect(await edit(key, { baseRev: teaching.rev }, fileOf(wav))).toEqual(first)
    expect(await revision()).toBe(later.rev)
    expect(await storedFiles(app.dataDir)).toMatchObject({ staging: [], audio: { length: 3 } })
  })

  test('a repeated key leaves no orphan after a sweep', async () => {
    const key = randomUUID()
    const first = await edit(key, {}, fileOf(wav))
    await edit(randomUUID(), {}, fileOf(m4a))
    await sql`delete from audio_moved`
    await app.context.storage.remove('audio', first.audioUrl!.slice('/audio/'.length))
    expect(await edit(key, {}, fileOf(wav))).toEqual(first)
    const { audio } = await storedFiles(app.dataDir)
    expect(audio).not.toContain(first.audioUrl!.slice('/audio/'.length))
  })

  test('a key sent many times at once writes once', async () => {
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => edit(key, { baseRev: teaching.rev }, fileOf(wav))),
    )
    expect(new Set(answers.map(({ rev }) => rev)).size).toBe(1)
    expect(await revision()).toBe(answers[0]!.rev)
  })
})
