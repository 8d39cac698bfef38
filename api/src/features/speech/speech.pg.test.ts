import type { ServerResponse } from 'node:http'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { speech } from '@fellowship/schema/speech/speech.contract'
import { speechLimits } from '@fellowship/schema/speech/speech.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import type { SpeechSettings } from '../../config/speech-settings.ts'
import { copyProcess } from '../../machine/audio/copy/copy-process.ts'
import { speechProcess } from '../../machine/speech/speech-process.ts'
import { canMakeSpeech, recordSpeech } from '../../testing/recordings.ts'
import { segmentsAnswer, speechServer } from '../../testing/speech-server.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { changedAfter } from '../../testing/test-db.ts'
import { copyWorker } from '../copies/copy-worker.ts'
import { speechStatus } from './speech.ts'
import { speechWorker } from './speech-worker.ts'

const server = await speechServer()
const app = await testApp({ SPEECH_URL: server.url, SPEECH_KEY: 'the-key', SPEECH_MODEL: 'large' })
const { context, clock } = app
const admin = await app.signedIn('admin')
const person = await app.signedIn()
const decoding = speechProcess()
afterAll(() => decoding.close())

const run = (settings: SpeechSettings = context.config.speech!, waitMs?: number) =>
  speechWorker(context, settings, { decoding, lookMs: 50, ...(waitMs !== undefined && { waitMs }) }).runAll()
const status = () => call(speech.status, {}, admin)
const textOf = ({ id }: Teaching) => call(transcripts.read, { params: { id } }, person).catch(() => undefined)
const inFolder = (name: string) => path.join(app.dataDir, name)

test('only administrators see or change machine drafts', async () => {
  for (const client of [person, app.client()]) {
    const expected = client === person ? 403 : 401
    expect((await refusal(call(speech.status, {}, client))).status).toBe(expected)
    expect((await refusal(call(speech.change, { body: { paused: true } }, client))).status).toBe(expected)
    expect((await refusal(call(speech.retry, {}, client))).status).toBe(expected)
  }
  expect((await refusal(call(transcripts.words, {}, app.client()))).status).toBe(401)
  expect(await call(transcripts.words, {}, person)).toEqual({ words: '' })
  const words = 'a'.repeat(speechLimits.words + 1)
  expect((await refusal(call(speech.change, { body: { words } }, admin))).status).toBe(400)
  expect(await status()).toMatchObject({
    by: 'address',
    paused: false,
    words: '',
    waiting: 0,
    minutesEach: null,
  })
})

describe.skipIf(!canMakeSpeech)('with a recording', () => {
  let hope: Teaching

  beforeAll(async () => {
    // Eight seconds with five silent ones in the middle.
    const filter = "volume=enable='between(t,2,7)':volume=0"
    await recordSpeech(inFolder('hope.wav'), { seconds: 8, filter })
    const body = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
    const audioFile = new File([new Uint8Array(await readFile(inFolder('hope.wav')))], 'hope.wav')
    hope = (await call(uploads.smartUpload, { body, files: { audioFile } }, person)).teaching
    // Not before it is measured.
    expect(await run()).toBe(0)
    const copying = copyProcess({ niceness: 0 })
    await copyWorker(context, { copying }).runAll()
    copying.close()
  }, 60_000)
  beforeEach(async () => {
    await context.sql`delete from transcripts`
    await context.sql`delete from speech_jobs`
    await call(speech.change, { body: { paused: false, words: '' } }, admin)
    server.calls.length = 0
  })

  test('a draft has the times of the recording, and is not published', async () => {
    await call(speech.change, { body: { words: 'Habakkuk\nhaber cook = Habakkuk' } }, admin)
    server.answer = segmentsAnswer([
      { start: 0, end: 1.5, text: ' Haber cook said' },
      { start: 1.5, end: 2.1, text: ' this.' },
      { start: 2.7, end: 3.2, text: 'Amen.' },
      { start: 3.2, end: 3.3, text: 'Thanks for watching!', no_speech_prob: 0.9, avg_logprob: -1.4 },
    ])
    expect(await run()).toBe(1)
    const [asked] = server.calls
    expect(asked!.fields).toEqual({
      model: 'large',
      response_format: 'verbose_json',
      language: 'en',
      prompt: 'Habakkuk, Habakkuk',
    })
    expect(asked!.authorization).toBe('Bearer the-key')
    // 16 kHz, one channel, 16 bits; three seconds of speech and twice 0.3 seconds of silence.
    const seconds = (asked!.wav.length - 44) / 32_000
    expect([asked!.wav.readUInt32LE(24), asked!.wav.readUInt16LE(22), asked!.wav.readUInt16LE(34)]).toEqual([
      16_000, 1, 16,
    ])
    expect(seconds).toBeGreaterThan(3)
    expect(seconds).toBeLessThan(4.5)
    const { draft, approved } = (await textOf(hope))!
    expect(approved).toBeNull()
    expect(draft).toMatchObject({
      source: 'machine',
      savedBy: 'Machine',
      language: expect.stringMatching(/^en/) as string,
    })
    expect(draft!.sentences.map(({ text }) => text)).toEqual(['Habakkuk said this.', 'Amen.'])
    expect(draft!.sentences[0]!.start).toBe(0)
    // Behind the silence, which was not sent.
    expect(draft!.sentences[1]!.start).toBeGreaterThan(6_500)
    expect(await status()).toMatchObject({ done: 1, waiting: 0, working: null })
    expect((await status()).minutesEach).toBeGreaterThan(0)
    expect(await run()).toBe(0)
  })

  test('a draft that is done meanwhile is counted, or still in progress', async () => {
    const { sql } = context
    await sql`insert into speech_jobs (teaching, sha256, state, tries, tried_at)
      select uid, audio_sha256, 'working', 1, now() from teachings where id = ${hope.id}`
    const finish = async () => sql`update speech_jobs set state = 'done', took_seconds = 60`
    const changing = changedAfter(sql, /with timed/, finish)
    expect(await speechStatus({ ...context, sql: changing })).toMatchObject({
      done: 0,
      working: { title: 'Hope' },
    })
    expect(await status()).toMatchObject({ done: 1, working: null })
  })

  test.each<[string, typeof server.answer, RegExp]>([
    [
      'another language',
      segmentsAnswer([{ start: 0, end: 1, text: 'Hallo.' }], 'german'),
      /heard as german, though .* English/,
    ],
    ['no JSON', (_, response) => response.end('<html>'), /no segments with times/],
    ['times beyond a day', segmentsAnswer([{ start: 0, end: 1e9, text: 'Hi.' }]), /no segments with times/],
    ['no speech', segmentsAnswer([]), /No speech was heard/],
    ['more than 2 MB', endless, /larger than 2 MB/],
  ])('%s saves nothing and is not tried again', async (_, answer, why) => {
    server.answer = answer
    expect(await run()).toBe(1)
    expect(await run()).toBe(0)
    expect((await status()).failed).toEqual([
      expect.objectContaining({ title: hope.title, why: expect.stringMatching(why) as string }),
    ])
    expect(await textOf(hope)).toBeUndefined()
  })

  test.each<[string, typeof server.answer]>([
    ['an error', (_, response) => response.writeHead(503).end()],
    ['a broken connection', (_, response) => response.destroy()],
    ['no answer', () => undefined],
  ])('%s is tried three times, an hour apart', async (_, answer) => {
    server.answer = answer
    for (let tries = 1; tries <= speechLimits.tries; tries++) {
      expect(await run(undefined, 700)).toBe(1)
      expect(await run(undefined, 700)).toBe(0)
      expect((await status()).failed.length).toBe(tries === speechLimits.tries ? 1 : 0)
      clock.advance((speechLimits.minutesBetween + 1) * 60_000)
    }
    expect(await run(undefined, 700)).toBe(0)
    expect(await textOf(hope)).toBeUndefined()
    server.answer = segmentsAnswer([{ start: 0, end: 1, text: 'Amen.' }])
    await call(speech.retry, {}, admin)
    expect(await run()).toBe(1)
    expect((await textOf(hope))!.draft!.sentences.length).toBe(1)
  })

  test('a text that somebody adds meanwhile stays', async () => {
    server.answer = (asked, response) =>
      void saveText('[0:01] By hand.').then(() =>
        segmentsAnswer([{ start: 0, end: 1, text: 'By machine.' }])(asked, response),
      )
    expect(await run()).toBe(1)
    expect((await textOf(hope))!.draft!.sentences.map(({ text }) => text)).toEqual(['By hand.'])
  })

  test('a pause breaks off the work, which is no failure', async () => {
    server.answer = () => void call(speech.change, { body: { paused: true } }, admin)
    expect(await run()).toBe(1)
    expect(await status()).toMatchObject({ paused: true, failed: [], working: null })
    server.answer = segmentsAnswer([{ start: 0, end: 1, text: 'Amen.' }])
    await call(speech.change, { body: { paused: false } }, admin)
    expect(await run()).toBe(1)
    expect((await textOf(hope))!.draft!.sentences.length).toBe(1)
  })

  const saveText = (text: string) =>
    call(
      transcripts.save,
      { params: { id: hope.id }, query: {}, body: {}, files: { transcript: new File([text], 'a.txt') } },
      person,
    )

  test('a plain text has about times without a machine', async () => {
    await saveText('Grace to you.\nAmen, and amen.')
    expect(await speechWorker(context, undefined, { decoding }).runAll()).toBe(1)
    const { draft } = (await textOf(hope))!
    expect(draft).toMatchObject({ source: 'person', savedBy: 'Machine' })
    expect(draft!.sentences.map(({ start, about }) => [start, about])).toEqual([
      [0, true],
      [expect.any(Number), true],
    ])
    expect(draft!.sentences[1]!.start).toBeGreaterThan(500)
    expect(await speechWorker(context, undefined, { decoding }).runAll()).toBe(0)
  })

  test('a plain text has the times of what a machine heard', async () => {
    server.answer = segmentsAnswer([
      { start: 0.4, end: 1.5, text: 'grace to you' },
      { start: 2.8, end: 3.2, text: 'Amen and amen' },
    ])
    await saveText('Grace to you.\nAmen, and amen.')
    expect(await run()).toBe(1)
    const { draft } = (await textOf(hope))!
    expect(draft!.sentences.map(({ text, about }) => [text, about])).toEqual([
      ['Grace to you.', false],
      ['Amen, and amen.', false],
    ])
    expect(draft!.sentences[0]!.start).toBe(400)
    expect(draft!.sentences[1]!.start).toBeGreaterThan(6_500)
  })

  test('a text that is corrected meanwhile keeps the correction', async () => {
    server.answer = (asked, response) =>
      void saveText('Corrected.').then(() =>
        segmentsAnswer([{ start: 0, end: 1, text: 'grace to you' }])(asked, response),
      )
    await saveText('Grace to you.')
    await run()
    expect((await textOf(hope))!.draft!.sentences.map(({ text }) => text)).toEqual(['Corrected.'])
  })

  test('a command prints captions of the part', async () => {
    await writeFile(
      inFolder('hear.mjs'),
      `import { statSync } from 'node:fs'
       const [, , file, language, hint] = process.argv
       process.stdout.write(\`WEBVTT\\n\\n00:00.500 --> 00:01.000\\n\${statSync(file).size > 90_000} \${language} \${hint}.\\n\`)`,
    )
    await call(speech.change, { body: { words: 'St Mary' } }, admin)
    const words = [process.execPath, inFolder('hear.mjs'), '{file}', '{language}', '{hint}']
    expect(await run({ kind: 'command', words })).toBe(1)
    expect((await textOf(hope))!.draft!.sentences).toMatchObject([
      { start: 500, text: 'true en-NZ St Mary.' },
    ])
  })

  test.each([
    ['exits with an error', 'console.error("no model"); process.exit(3)', /no model/],
    ['prints without end', 'for (;;) require("fs").writeSync(1, "x".repeat(65536))', /more than 2 MB/],
    ['hangs', 'setInterval(() => undefined, 1000)', /no answer within/],
  ])('a command that %s saves nothing', async (_, code, why) => {
    const words = [process.execPath, '-e', code, '{file}']
    for (let tries = 1; tries <= speechLimits.tries; tries++) {
      await run({ kind: 'command', words }, code.startsWith('setInterval') ? 700 : undefined)
      clock.advance((speechLimits.minutesBetween + 1) * 60_000)
    }
    expect((await status()).failed).toEqual([
      expect.objectContaining({ why: expect.stringMatching(why) as string }),
    ])
    expect(await textOf(hope)).toBeUndefined()
  })
})

/** Streams without an end. */
function endless(_call: unknown, response: ServerResponse): void {
  response.writeHead(200)
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536))) continue
  }
  response.on('drain', more)
  more()
}
