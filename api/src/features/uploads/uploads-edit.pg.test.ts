import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { movedAudioDays } from '@fellowship/schema/audio/audio.limits'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture, formBody, sendForm, storedFiles } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { letDaysPass } from '../../testing/test-db.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const person = await app.signedIn()
const { csrfToken } = await call(auth.csrfToken, {}, person)
const mp3 = await fixture('cbr.mp3')
const wav = await fixture('speech.wav')
const m4a = await fixture('slow.m4a')

let teaching: Teaching
beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from audio_moved`
  for await (const { name } of app.context.storage.list('audio'))
    await app.context.storage.remove('audio', name)
  app.context.changes.announce()
  teaching = await add(mp3, '2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3')
})

const add = async (bytes: Buffer, name: string) => {
  const answer = await call(uploads.smartUpload, { files: { audioFile: fileOf(bytes, name) } }, person)
  return answer.teaching
}
const fileOf = (bytes: Buffer, name = 'new.bin') => new File([new Uint8Array(bytes)], name)
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }
const edit = (body: Partial<typeof fields & { baseRev: number }> = {}, file?: File, id = teaching.id) =>
  call(teachings.update, { params: { id }, body: { ...fields, ...body }, files: { audioFile: file } }, person)
const stored = async () => (await sql`select * from teachings where id = ${teaching.id}`)[0]
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('logs uploads, edits and deletions, not refused ones', async () => {
  await sql`delete from audit_log`
  const other = await add(wav, '2026-11-15_Mary-Jones"Grace"_John_1.wav')
  await refusal(edit({ baseRev: 1 }))
  await edit({ speaker: 'Jon Smith' }, fileOf(m4a))
  await call(teachings.remove, { params: { id: other.id } }, person)
  await refusal(call(teachings.remove, { params: { id: other.id } }, person))
  const lines = await sql`select actor, action, subject, details from audit_log order by id`
  expect(lines).toMatchObject([
    { actor: 'A user', action: 'teaching.uploaded', subject: 'Grace' },
    { action: 'teaching.edited', subject: 'Hope', details: { id: teaching.id } },
    { actor: 'A user', action: 'teaching.deleted', subject: 'Grace', details: { speaker: 'Mary Jones' } },
  ])
  expect((lines[1]!['details'] as { changed: string[] }).changed).toEqual(
    expect.arrayContaining(['speaker', 'recording']),
  )
  expect(lines).toHaveLength(3)
})

describe('an edit is refused', () => {
  test.each([
    [{ title: ' ' }, 'Title is required'],
    [{ speaker: '' }, 'Speaker name is required'],
    [{ date: '2026-13-01' }, 'A valid date is required'],
    [{ title: 'x'.repeat(256) }, 'title: String must contain at most 255 character(s)'],
  ])('%j is refused: 400 %s', async (wrong, sentence) => {
    const before = await stored()
    expect(await refusal(edit(wrong, fileOf(wav)))).toMatchObject({ status: 400, sentence })
    expect(await stored()).toEqual(before)
    expect((await storedFiles(app.dataDir)).audio).toEqual([`${sha256(mp3)}.mp3`])
  })

  test('an unknown or deleted teaching is 404', async () => {
    expect(await refusal(edit({}, undefined, 2_000_000))).toMatchObject({ status: 404, code: 'not_found' })
    await call(teachings.remove, { params: { id: teaching.id } }, person)
    expect(await refusal(edit({}, fileOf(wav)))).toMatchObject({ status: 404 })
    expect(await storedFiles(app.dataDir)).toEqual({ staging: [], audio: [`${sha256(mp3)}.mp3`] })
  })

  test.each(['x', '0', '1.5', '-1', '99999999999'])('the id %s is refused with 400', async (id) => {
    const body = formBody([{ name: '_csrf', value: csrfToken }])
    expect(await sendForm(person, `/api/teachings/${id}`, body, { method: 'PUT' })).toMatchObject({
      status: 400,
    })
  })

  test('a wrong CSRF token is refused with 403', async () => {
    const before = await stored()
    const parts = [
      ...Object.entries(fields).map(([name, value]) => ({ name, value })),
      { name: 'audioFile', filename: 'x.wav', body: [wav] },
    ]
    const answer = await sendForm(person, `/api/teachings/${teaching.id}`, formBody(parts), { method: 'PUT' })
    expect(answer).toMatchObject({ status: 403, body: { code: 'csrf' } })
    expect(await stored()).toEqual(before)
    expect(await storedFiles(app.dataDir)).toEqual({ staging: [], audio: [`${sha256(mp3)}.mp3`] })
  })

  test('an older revision is refused with the current row', async () => {
    const first = await edit({ title: 'First', baseRev: teaching.rev })
    const second = await refusal(edit({ title: 'Second', baseRev: teaching.rev }, fileOf(wav)))
    expect(second).toMatchObject({ status: 409, code: 'revision_conflict' })
    expect(JSON.parse(second.message.slice(5))).toMatchObject({ current: first })
    expect(await storedFiles(app.dataDir)).toEqual({ staging: [], audio: [`${sha256(mp3)}.mp3`] })
    expect(await edit({ title: 'Second', baseRev: first.rev })).toMatchObject({ title: 'Second' })
  })

  test('an edit that would duplicate is refused with 409', async () => {
    await add(wav, '2025-01-01_Mary-Jones"Faith".wav')
    const same = { title: 'faith', speaker: 'Mary Jones', date: '2025-01-01', scriptureReference: '' }
    expect(await refusal(edit(same))).toMatchObject({ status: 409, code: 'duplicate' })
    expect(await refusal(edit({}, fileOf(wav)))).toMatchObject({ status: 409, code: 'duplicate' })
    expect((await storedFiles(app.dataDir)).audio).toHaveLength(2)
  })

  test('an edit with a non-audio file keeps the recording', async () => {
    expect(await refusal(edit({}, fileOf(Buffer.from('hello'))))).toMatchObject({ status: 415 })
    expect(await stored()).toMatchObject({ title: 'Hope in Christ', audioSha256: sha256(mp3) })
  })
})

describe('an edit', () => {
  test('an edit without a file keeps the recording', async () => {
    const changed = await edit({ title: 'New_title', scriptureReference: '' })
    expect(changed).toMatchObject({
      title: 'New_title',
      scriptureReference: null,
      audioUrl: teaching.audioUrl,
    })
    expect(changed.rev).toBeGreaterThan(teaching.rev)
    expect(changed.uid).toBe(teaching.uid)
    expect(await call(teachings.list, {}, app.client())).toEqual([changed])
  })

  test('an unchanged edit allocates no revision', async () => {
    const words = { title: teaching.title, scriptureReference: teaching.scriptureReference! }
    expect(await edit(words)).toEqual(teaching)
    expect(await edit(words, fileOf(mp3))).toEqual(teaching)
  })

  test('a new recording redirects its old address for 30 days', async () => {
    const changed = await edit({}, fileOf(wav))
    expect(changed).toMatchObject({
      audioUrl: `/audio/${sha256(wav)}.wav`,
      audioMime: 'audio/wav',
      duration: '0:03',
    })
    const old = await fetch(app.url + teaching.audioUrl!, { redirect: 'manual' })
    expect([old.status, old.headers.get('location')]).toEqual([302, changed.audioUrl])

    const again = await edit({}, fileOf(m4a))
    const oldest = await fetch(`${app.url}${teaching.audioUrl}?download=1`, { redirect: 'manual' })
    expect(oldest.headers.get('location')).toBe(`${again.audioUrl}?download=1`)
    const followed = await fetch(app.url + teaching.audioUrl!)
    expect(Buffer.from(await followed.arrayBuffer()).equals(m4a)).toBe(true)

    await letDaysPass(app.context.sql, movedAudioDays + 1)
    expect((await fetch(app.url + teaching.audioUrl!, { redirect: 'manual' })).status).toBe(404)
  })

  test('a replaced recording is finished as begun', async () => {
    await edit({}, fileOf(wav))
    const begun = { range: 'bytes=100-', 'if-range': `"${sha256(mp3)}"` }
    const rest = () => fetch(app.url + teaching.audioUrl!, { headers: begun, redirect: 'manual' })
    const answer = await rest()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([206, 'no-store'])
    expect(Buffer.from(await answer.arrayBuffer()).equals(mp3.subarray(100))).toBe(true)

    await letDaysPass(app.context.sql, 2)
    expect((await rest()).status).toBe(302)
  })

  test('an earlier recording returns to its first address', async () => {
    const changed = await edit({}, fileOf(wav))
    const back = await edit({}, fileOf(mp3))
    expect(back.audioUrl).toBe(teaching.audioUrl)
    expect((await fetch(app.url + back.audioUrl!, { redirect: 'manual' })).status).toBe(200)
    const between = await fetch(app.url + changed.audioUrl!, { redirect: 'manual' })
    expect(between.headers.get('location')).toBe(back.audioUrl)
  })

  test('one of two concurrent edits gets 409', async () => {
    const answers = await Promise.allSettled([
      edit({ title: 'A', baseRev: teaching.rev }, fileOf(wav)),
      edit({ title: 'B', baseRev: teaching.rev }, fileOf(m4a)),
    ])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { audio, staging } = await storedFiles(app.dataDir)
    expect(staging).toEqual([])
    expect(audio).toHaveLength(2)
    expect(audio).toContain(
      `${(await stored())!['audioSha256'] as string}${(await stored())!['audioMime'] === 'audio/wav' ? '.wav' : '.m4a'}`,
    )
  })
})

describe('a deletion', () => {
  test('a deletion needs a CSRF token and a teaching', async () => {
    const address = `${app.url}/api/teachings/${teaching.id}`
    expect((await person.fetch(address, { method: 'DELETE' })).status).toBe(403)
    expect((await app.client().fetch(address, { method: 'DELETE' })).status).toBe(401)
    await call(teachings.remove, { params: { id: teaching.id } }, person)
    expect(await refusal(call(teachings.remove, { params: { id: teaching.id } }, person))).toMatchObject({
      status: 404,
    })
  })

  test('a deletion moves teaching and recording to the bin', async () => {
    await call(teachings.remove, { params: { id: teaching.id } }, person)
    expect(await call(teachings.list, {}, app.client())).toEqual([])
    expect((await fetch(app.url + teaching.audioUrl!)).status).toBe(404)
    expect((await storedFiles(app.dataDir)).audio).toEqual([`${sha256(mp3)}.mp3`])
    // If the same recording is uploaded again, it uses the file of the bin.
    const again = await add(mp3, '2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3')
    expect(again.id).not.toBe(teaching.id)
    expect((await fetch(app.url + again.audioUrl!)).status).toBe(200)
  })
})
