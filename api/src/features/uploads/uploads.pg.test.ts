import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import type { CallError } from '@fellowship/sync/call/call-error'
import { diskStorage } from '../../machine/storage/disk-storage.ts'
import { fixture, formBody, longWav, sendForm, storedFiles, type FormPart } from '../../testing/multipart.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'

const app = await testApp()
const full = await testApp({}, (dataDir) => ({
  storage: diskStorage(dataDir, { openStaged: () => open('/dev/full', 'w') }),
}))
const { sql } = app.context
const person = await app.signedIn()
const token = (await call(auth.csrfToken, {}, person)).csrfToken
const mp3 = await fixture('cbr.mp3')
const wav = await fixture('speech.wav')

beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from audio_moved`
  for await (const { name } of app.context.storage.list('audio'))
    await app.context.storage.remove('audio', name)
  app.context.changes.announce()
})
afterEach(async () => {
  // After every test there is no staged file, and every recording belongs to a row.
  const { staging, audio } = await settledFiles()
  expect(staging).toEqual([])
  const rows = await sql<{ name: string }[]>`
    select substr(audio_url, 8) as name from teachings where audio_url is not null
    union select sha256 || '.original' from original_recordings
    union select old_sha256 || '.mp3' from audio_moved`
  const known = new Set(rows.map(({ name }) => name))
  expect(audio.filter((name) => !known.has(name))).toEqual([])
})

const name = '2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3'
const csrf = (value = token): FormPart => ({ name: '_csrf', value })
const field = (name: string, value: string): FormPart => ({ name, value })
const audio = (body: Iterable<Buffer> = [mp3], filename = name, type = 'audio/mpeg'): FormPart => ({
  name: 'audioFile',
  filename,
  type,
  body,
})
const upload = (
  parts: readonly FormPart[],
  headers: http.OutgoingHttpHeaders = {},
  client: TestClient = person,
) => sendForm(client, '/api/sermons/smart-upload', formBody(parts), { headers })
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const count = async () => (await sql<{ n: number }[]>`select count(*)::int as n from teachings`)[0]!.n

/** The files after those of broken connections were removed, which takes a moment. */
async function settledFiles() {
  let files = await storedFiles(app.dataDir)
  for (let tries = 0; tries < 400 && files.staging.length > 0; tries++) {
    await delay(50)
    files = await storedFiles(app.dataDir)
  }
  return files
}
const expectNothingStored = async () => {
  expect(await count()).toBe(0)
  expect(await settledFiles()).toEqual({ staging: [], audio: [] })
}

describe('permissions', () => {
  test('a signed-out upload is 401 while bytes still arrive', async () => {
    const stranger = app.client()
    for (const [method, address] of [
      ['POST', '/api/sermons/smart-upload'],
      ['PUT', '/api/teachings/1'],
    ] as const) {
      const answer = await sendForm(stranger, address, formBody([audio(longWav(30_000_000))]), { method })
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized', error: 'Unauthorized' } })
    }
    for (const address of ['/api/sermons/parse-filename', '/api/sermons/check-duplicate']) {
      expect((await stranger.fetch(app.url + address, { method: 'POST', body: '{}' })).status).toBe(401)
    }
    await expectNothingStored()
  })

  test.each<[string, FormPart[], http.OutgoingHttpHeaders]>([
    ['no CSRF token', [], {}],
    ['a wrong header', [], { 'x-csrf-token': 'wrong' }],
    ['a wrong header beside a right field', [csrf()], { 'x-csrf-token': 'wrong' }],
    ['a wrong first field', [csrf('wrong')], {}],
    ['an empty field', [csrf('')], {}],
  ])('%s is 403', async (_, before, headers) => {
    expect(await upload([...before, audio()], headers)).toMatchObject({ status: 403, body: { code: 'csrf' } })
    await expectNothingStored()
  })

  test('a wrong CSRF token after the file removes it', async () => {
    expect(await upload([audio(), csrf('wrong')])).toMatchObject({ status: 403, body: { code: 'csrf' } })
    await expectNothingStored()
  })

  test('an upload from another site is 403', async () => {
    const answer = await upload([csrf(), audio()], { origin: 'https://evil.example' })
    expect(answer).toMatchObject({ status: 403, body: { code: 'cross_site' } })
    await expectNothingStored()
  })
})

describe('an invalid form', () => {
  test.each<[string, http.OutgoingHttpHeaders]>([
    ['JSON', { 'content-type': 'application/json' }],
    ['no boundary', { 'content-type': 'multipart/form-data' }],
    ['form-urlencoded', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('a form with %s is 415', async (_, headers) => {
    expect(await upload([csrf(), audio()], { 'x-csrf-token': token, ...headers })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media' },
    })
  })

  test.each<[string, () => FormPart[], RegExp]>([
    ['no file', () => [csrf(), field('title', 'x')], /^Please select an audio file to upload$/],
    ['an empty file input', () => [csrf(), audio([], '')], /^Please select an audio file to upload$/],
    [
      'another part name',
      () => [csrf(), { name: 'file', filename: name, body: [mp3] }],
      /Send the file as "audioFile", not as "file"/,
    ],
    ['two files', () => [csrf(), audio(), audio([wav], 'b.wav')], /one file at a time/],
    [
      'too many fields',
      () => [csrf(), ...Array.from({ length: 30 }, (_, i) => field(`f${i}`, 'x')), audio()],
      /too many fields/,
    ],
    [
      'a field of 100 kB',
      () => [csrf(), field('title', 'x'.repeat(100_000)), audio()],
      /The field title is too long/,
    ],
    [
      'a title of 256 letters',
      () => [csrf(), field('title', 'x'.repeat(256)), audio()],
      /title: String must contain at most 255/,
    ],
    [
      'overrideData that is not JSON',
      () => [csrf(), field('overrideData', '{'), audio()],
      /overrideData is not valid JSON/,
    ],
    [
      'overrideData of another shape',
      () => [csrf(), field('overrideData', '{"speaker":7}'), audio()],
      /speaker: Expected string, received number/,
    ],
    [
      'overrideData that is a list',
      () => [csrf(), field('overrideData', '[]'), audio()],
      /Expected object, received array/,
    ],
  ])('a form with %s is 400', async (_, parts, sentence) => {
    const { status, body } = await upload(parts())
    expect(status).toBe(400)
    expect(body).toMatchObject({ success: false, error: expect.stringMatching(sentence) as string })
    expect(body['message']).toBe(body['error'])
    await expectNothingStored()
  })

  test('a truncated form is 400', async () => {
    const body = formBody([csrf(), audio()], { close: false })
    expect(await sendForm(person, '/api/sermons/smart-upload', body)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/ended too early/) as string },
    })
    await expectNothingStored()
  })
})

describe('the field checks in order', () => {
  test.each<[string, FormPart[], string]>([
    ['2026-11-22.mp3', [], 'Speaker name is required'],
    ['2026-11-22.mp3', [field('speaker', ' ')], 'Speaker name is required'],
    [
      'recording.mp3',
      [field('overrideData', '{"speaker":"A"}')],
      'Either a title or scripture reference is required',
    ],
    ['recording.mp3', [field('overrideData', '{"speaker":"A","title":"T"}')], 'A valid date is required'],
    [
      'recording.mp3',
      [field('overrideData', '{"speaker":"A","title":"T","date":"2026-02-30"}')],
      'A valid date is required',
    ],
    [name, [field('overrideData', '{"speaker":""}')], 'Speaker name is required'],
    ['2026-02-30_John-Smith"T".mp3', [], 'A valid date is required'],
  ])('%s %j is refused: %s', async (filename, fields, sentence) => {
    const { status, body } = await upload([csrf(), ...fields, audio([mp3], filename)])
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: sentence })
    expect(body).toHaveProperty('parsedData.errors')
    await expectNothingStored()
  })
})

describe('the size limit', () => {
  test('an oversized Content-Length is 413 before the first byte', async () => {
    const parts = [csrf(), audio(longWav(maxUploadBytes + 2_000_000))]
    const length = [...formBody(parts)].reduce((sum, { length }) => sum + length, 0)
    expect(await upload(parts, { 'content-length': length })).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    })
    await expectNothingStored()
  })

  test('an oversized chunked body is 413 at the limit', async () => {
    expect(await upload([csrf(), audio(longWav(maxUploadBytes + 1))])).toMatchObject({ status: 413 })
    await expectNothingStored()
  })

  test('bytes before the file count towards the limit', async () => {
    function* flood() {
      for (let i = 0; i < 1700; i++) yield Buffer.alloc(64 * 1024, 'x')
      yield* formBody([csrf(), audio()])
    }
    expect(await sendForm(person, '/api/sermons/smart-upload', flood())).toMatchObject({ status: 413 })
    await expectNothingStored()
  })

  test('accepts exactly 100 MB', async () => {
    const { status, body } = await upload([csrf(), audio(longWav(maxUploadBytes), name, 'audio/wav')])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      teaching: { audioBytes: maxUploadBytes, audioMime: 'audio/wav', duration: '19:49' },
    })
  })
})

describe('the content decides the type', () => {
  test.each<[string, () => Promise<Buffer> | Buffer, RegExp]>([
    ['an HTML page', () => Buffer.from('<!doctype html>'.repeat(900)), /is not an MP3, WAV or M4A recording/],
    ['ALAC', () => fixture('alac.m4a'), /browsers cannot play \(ALAC\)/],
    ['an empty file', () => Buffer.alloc(0), /file is empty/],
  ])('%s named .mp3 is 415', async (_, bytes, sentence) => {
    expect(await upload([csrf(), audio([await bytes()])])).toMatchObject({
      status: 415,
      body: { code: 'unsupported_audio', error: expect.stringMatching(sentence) as string },
    })
    await expectNothingStored()
  })

  test('half a recording is asked about, and published if that is accepted', async () => {
    const half = [csrf(), audio([mp3.subarray(0, mp3.length / 2)])]
    expect(await upload(half)).toMatchObject({
      status: 422,
      body: {
        code: 'cut_off',
        present: '0:03',
        whole: '0:06',
        error: expect.stringMatching(/cut off/) as string,
      },
    })
    await expectNothingStored()
    const { status, body } = await upload([...half, { name: 'acceptCutOff', value: 'true' }])
    expect([status, body]).toMatchObject([200, { teaching: { duration: '0:03' } }])
  })

  test('stores a WAV named .mp3 as WAV', async () => {
    const { body } = await upload([csrf(), audio([wav])])
    expect(body).toMatchObject({
      teaching: { audioUrl: `/audio/${sha256(wav)}.wav`, audioMime: 'audio/wav', duration: '0:03' },
      parseInfo: { sanitizedFilename: '2026-11-22_John-Smith"Hope_in_Christ"_Romans_8_28-39.wav' },
    })
  })
})

describe('duplicates', () => {
  test('a renamed duplicate is 409, the first keeps its file', async () => {
    await upload([csrf(), audio()])
    const again = await upload([csrf(), audio([mp3], '2020-01-05_Mary-Jones"Another".mp3')])
    expect(again).toMatchObject({
      status: 409,
      body: {
        code: 'duplicate',
        error:
          'Duplicate sermon detected. The same recording is in the library already: Hope in Christ, John Smith, 22 November 2026',
        duplicateOf: { speaker: 'John Smith' },
      },
    })
    expect(await count()).toBe(1)
    expect((await settledFiles()).audio).toEqual([`${sha256(mp3)}.mp3`])
  })

  test.each(['2026-11-22_John-Smith"hope_in christ".mp3', '2026-11-22_John-Smith_Romans_8_28-39.mp3'])(
    'a recording with equal fields is 409 (%s)',
    async (same) => {
      await upload([csrf(), audio()])
      expect(await upload([csrf(), audio([wav], same)])).toMatchObject({ status: 409 })
      expect((await settledFiles()).audio).toEqual([`${sha256(mp3)}.mp3`])
    },
  )

  test('check-duplicate returns the existing teaching', async () => {
    await upload([csrf(), audio()])
    const refused = await call(uploads.checkDuplicate, { body: { filename: name } }, person).catch(
      (e: unknown) => e,
    )
    expect(refused).toMatchObject({
      status: 409,
      code: 'duplicate',
      sentence: 'Duplicate sermon detected: Hope in Christ, John Smith, 22 November 2026',
    })
    const other = { title: 'Faith', scriptureReference: '' }
    expect(
      await call(uploads.checkDuplicate, { body: { filename: name, parsedData: other } }, person),
    ).toMatchObject({
      duplicate: false,
      parsedData: {
        title: 'Faith',
        scriptureReference: '',
        speaker: 'John Smith',
        isValid: true,
        errors: [],
      },
    })
  })

  test('check-duplicate returns the parsed fields of incomplete names', async () => {
    const refused = (await call(
      uploads.checkDuplicate,
      { body: { filename: '2026-11-22.mp3' } },
      person,
    ).catch((e: unknown) => e)) as CallError
    expect(refused).toMatchObject({ status: 400, sentence: 'Speaker name is required' })
    expect(refused.message).toContain('"parsedData"')
  })

  test('accepts one of eight identical concurrent uploads', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload([csrf(), audio()])))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(7).fill(409),
    ])
    expect(await count()).toBe(1)
    expect((await settledFiles()).audio).toEqual([`${sha256(mp3)}.mp3`])
  })

  test('accepts one of eight recordings with the same fields', async () => {
    const recordings = Array.from({ length: 8 }, (_, seed) => [...longWav(200_000, seed + 1)])
    const answers = await Promise.all(recordings.map((body) => upload([csrf(), audio(body)])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
    expect((await settledFiles()).audio).toHaveLength(1)
  })

  test('a refused upload never removes the accepted file', async () => {
    for (let round = 0; round < 6; round++) {
      const body = [...longWav(100_000, round + 20)]
      const names = [`2025-01-0${round + 1}_A-B"One".mp3`, `2025-02-0${round + 1}_C-D"Two".mp3`]
      const answers = await Promise.all(names.map((filename) => upload([csrf(), audio(body, filename)])))
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409])
      const { audioUrl } = answers.find(({ status }) => status === 200)!.body['teaching'] as {
        audioUrl: string
      }
      const sent = await fetch(app.url + audioUrl)
      expect(sha256(Buffer.from(await sent.arrayBuffer()))).toBe(sha256(Buffer.concat(body)))
    }
  })
})

describe('a failed upload leaves no file', () => {
  test.each([10_000, 300_000, 5_000_000])(
    'a connection lost after %d bytes leaves no file',
    async (bytes) => {
      const request = http.request(`${app.url}/api/sermons/smart-upload`, {
        method: 'POST',
        agent: false,
        headers: {
          cookie: [...person.cookies].map(([key, value]) => `${key}=${value}`).join('; '),
          'content-type': 'multipart/form-data; boundary=xYzZyBoundary',
          'content-length': 20_000_000,
        },
      })
      request.on('error', () => undefined)
      let sent = 0
      for (const chunk of formBody([csrf(), audio(longWav(19_000_000))])) {
        if (sent > bytes) break
        sent += chunk.length
        request.write(chunk)
      }
      await delay(150)
      request.destroy()
      await delay(50)
      await expectNothingStored()
    },
  )

  test.skipIf(!existsSync('/dev/full'))('an upload on a full disk is 507', async () => {
    const user = await full.signedIn()
    const { csrfToken } = await call(auth.csrfToken, {}, user)
    const answer = await upload([csrf(csrfToken), audio(longWav(3_000_000))], {}, user)
    expect(answer).toMatchObject({ status: 507, body: { code: 'disk_full' } })
    expect(await storedFiles(full.dataDir)).toEqual({ staging: [], audio: [] })
  })

  test('a row refused by the database removes the recording', async () => {
    await sql`alter table teachings add constraint no_mary check (speaker <> 'Mary Jones')`
    try {
      const answer = await upload([csrf(), audio([mp3], '2020-01-05_Mary-Jones"Another".mp3')])
      expect(answer.status).toBe(500)
      await expectNothingStored()
    } finally {
      await sql`alter table teachings drop constraint no_mary`
    }
  })
})

describe('hostile file names', () => {
  test.each([
    '../../etc/passwd',
    '..\\..\\boot.ini',
    '/etc/passwd.mp3',
    '.htaccess',
    'CON.mp3',
    'a\u202egpm.exe',
    '2026-11-22_A-B%22x%0d%0aSet-Cookie: a=b%22.mp3',
    `${'ā'.repeat(400)}.mp3`,
    'x'.repeat(2000),
    '\ud83d',
    '<script>alert(1)</script>.mp3',
    "'; drop table teachings; --.mp3",
    '__proto__',
    '%00.mp3',
  ])('stores %j under its hash', async (filename) => {
    const fields = [field('title', 'T'), field('speaker', 'S'), field('date', '2026-11-22')]
    const { status, body } = await upload([csrf(), ...fields, audio([mp3], filename)])
    expect({ status, error: body['error'] }).toEqual({ status: 200, error: undefined })
    expect((await settledFiles()).audio).toEqual([`${sha256(mp3)}.mp3`])
    expect((body['parseInfo'] as { sanitizedFilename: string }).sanitizedFilename).toMatch(
      /^[^/\\\0]{1,255}$/,
    )
  })

  test('fields named like Object.prototype members are plain fields', async () => {
    const { status } = await upload([csrf(), field('__proto__', 'x'), field('constructor', 'y'), audio()])
    expect(status).toBe(200)
  })
})

test('an empty field is not guessed from an odd name', async () => {
  const { status, body } = await upload([
    csrf(),
    field('title', 'Hope'),
    field('speaker', ''),
    field('date', '2026-11-22'),
    audio([mp3], '2026-11-22_Evening_meeting.mp3'),
  ])
  expect(status).toBe(400)
  expect(body['error']).toBe('Speaker name is required')
})

describe('an accepted upload', () => {
  test('announces, lists and serves an accepted upload', async () => {
    let announced = 0
    const deaf = app.context.changes.listen(() => (announced += 1))
    const { status, body } = await upload([csrf(), audio()])
    deaf()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: true,
      teaching: {
        title: 'Hope in Christ',
        speaker: 'John Smith',
        date: '2026-11-22',
        year: 2026,
        scriptureReference: 'Romans 8:28-39',
        audioUrl: `/audio/${sha256(mp3)}.mp3`,
        audioBytes: mp3.length,
        audioMime: 'audio/mpeg',
        duration: '0:06',
      },
      parseInfo: { sanitizedFilename: '2026-11-22_John-Smith"Hope_in_Christ"_Romans_8_28-39.mp3' },
    })
    expect(announced).toBe(1)
    const [row] = await sql`select audio_crc32, scripture_start, scripture_end from teachings`
    expect(row).toEqual({ audioCrc32: crc32(mp3), scriptureStart: 45_008_028, scriptureEnd: 45_008_039 })
    expect(await call(teachings.list, {}, app.client())).toEqual([body['teaching']])
    const found = await call(teachings.search, { query: { q: 'Romans 9' } }, app.client())
    expect(found).toEqual([])
    expect(await call(teachings.search, { query: { q: 'Rom 8:30' } }, app.client())).toHaveLength(1)
    const sent = await fetch(`${app.url}/audio/${sha256(mp3)}.mp3`)
    expect(Buffer.from(await sent.arrayBuffer()).equals(mp3)).toBe(true)
  })

  test('a failed cleanup does not fail the upload', async () => {
    const { storage } = app.context
    const settle = storage.settle.bind(storage)
    vi.spyOn(storage, 'settle').mockImplementationOnce(async (...args) => ({
      ...(await settle(...args)),
      keep: () => Promise.reject(Object.assign(new Error('EIO: i/o error, unlink'), { code: 'EIO' })),
    }))
    let announced = 0
    const stop = app.context.changes.listen(() => (announced += 1))
    const { status } = await upload([csrf(), audio()])
    stop()
    expect([status, await count(), announced > 0]).toEqual([200, 1, true])
    // The next start removes the note.
    const notes = (await storedFiles(app.dataDir)).staging
    for (const note of notes) await rm(path.join(app.dataDir, 'staging', note))
  })

  test('overrideData wins over form fields, those over the name', async () => {
    const { body } = await upload([
      csrf(),
      field('title', 'From the form'),
      field('speaker', ''),
      field('scriptureReference', 'John 3:16'),
      field('overrideData', JSON.stringify({ title: ' Corrected ', scriptureReference: '' })),
      audio(),
    ])
    expect(body['teaching']).toMatchObject({
      title: 'Corrected',
      speaker: 'John Smith',
      scriptureReference: null,
    })
  })

  test('a scripture replaces the title', async () => {
    const { body } = await upload([csrf(), audio([mp3], '2026-11-22_John-Smith_1-John_4_7-21.mp3')])
    expect(body['teaching']).toMatchObject({ title: '1 John 4:7-21', scriptureReference: '1 John 4:7-21' })
  })

  test('the CSRF token may be a header or late field', async () => {
    expect((await upload([audio()], { 'x-csrf-token': token })).status).toBe(200)
    expect((await upload([audio([wav], '2026-01-01_A-B"C".wav'), csrf()])).status).toBe(200)
  })

  test('the declared call uploads as the web client does', async () => {
    const file = new File([new Uint8Array(mp3)], name, { type: 'audio/mpeg' })
    const answer = await call(
      uploads.smartUpload,
      { body: { title: 'Māori hymns' }, files: { audioFile: file } },
      person,
    )
    expect(answer.teaching.title).toBe('Māori hymns')
  })

  test('parse-filename returns the fields of the file name', async () => {
    expect(await call(uploads.parseFilename, { body: { filename: name } }, person)).toEqual({
      parsedData: {
        title: 'Hope in Christ',
        speaker: 'John Smith',
        scriptureReference: 'Romans 8:28-39',
        date: '2026-11-22',
        isValid: true,
        errors: [],
      },
    })
    expect((await call(uploads.parseFilename, { body: { filename: 'x' } }, person)).parsedData.isValid).toBe(
      false,
    )
  })
})
