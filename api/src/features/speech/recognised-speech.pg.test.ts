import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { foldedWords } from '@fellowship/schema/text-folding'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { copyProcess } from '../../machine/audio/copy/copy-process.ts'
import { speechProcess } from '../../machine/speech/speech-process.ts'
import { recordSource } from '../../testing/recordings.ts'
import { testApp } from '../../testing/test-app.ts'
import { copyWorker } from '../copies/copy-worker.ts'
import { speechWorker } from './speech-worker.ts'

const said = [
  'Grace to you and peace from God our Father.',
  'Today we read from the letter to the Romans.',
  'The man went down to the river and washed his hands.',
  'There was a father who had two sons.',
  'The younger son took his money and went to a far country.',
  'He spent everything he had and was hungry.',
  'Then he remembered the house of his father.',
  'He said, I will go home and ask for bread.',
  'His father saw him from far away and ran to meet him.',
  'We are all like that son.',
  'Let us pray together.',
]

const program = path.join(import.meta.dirname, '../../testing/pocketsphinx-to-vtt.mjs')
const app = await testApp()
const { context } = app
const person = await app.signedIn()
const decoding = speechProcess()
afterAll(() => decoding.close())

/** Bytes a second of the WAVs, and of their head. */
const [bytesPerSecond, head] = [32_000, 44]

/** Speaks the sentences with a pause after each; returns when each begins, in seconds. */
async function speak(file: string): Promise<number[]> {
  const starts: number[] = []
  const parts: Buffer[] = []
  let bytes = 0
  for (const [at, sentence] of said.entries()) {
    const part = `${file}.${at}.wav`
    const source = `flite=text='${sentence.replaceAll(',', String.raw`\,`)}':voice=slt,aresample=16000,apad=pad_dur=0.7`
    await recordSource(part, source, ['-c:a', 'pcm_s16le', '-flags', '+bitexact', '-map_metadata', '-1'])
    starts.push(bytes / bytesPerSecond)
    const sound = (await readFile(part)).subarray(head)
    parts.push(sound)
    bytes += sound.length
  }
  await writeFile(`${file}.raw`, Buffer.concat(parts))
  const raw = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', `${file}.raw`]
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-y', ...raw, file])
  expect((await stat(file)).size).toBeGreaterThan(bytes)
  return starts
}

test('a recogniser of this machine times a text, and drafts one', async () => {
  const file = path.join(app.dataDir, 'son.wav')
  const starts = await speak(file)
  const body = { title: 'Two Sons', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
  const audioFile = new File([new Uint8Array(await readFile(file))], 'son.wav')
  const { teaching } = await call(uploads.smartUpload, { body, files: { audioFile } }, person)
  const copying = copyProcess({ niceness: 0 })
  await copyWorker(context, { copying }).runAll()
  copying.close()
  const words = [process.execPath, program, '{file}']
  const run = () => speechWorker(context, { kind: 'command', words }, { decoding }).runAll()
  const params = { id: teaching.id }
  const draft = async () => (await call(transcripts.read, { params }, person)).draft!

  const files = { transcript: new File([said.join('\n')], 'son.txt') }
  await call(transcripts.save, { params, query: {}, body: {}, files }, person)
  expect(await run()).toBe(1)
  const timed = (await draft()).sentences
  const near = timed.filter(({ start }, at) => Math.abs(start! / 1000 - starts[at]!) <= 0.5)
  // 10 of 11 seen; the other times are marked as approximate.
  expect(near.length).toBeGreaterThanOrEqual(9)
  for (const [at, { start, about }] of timed.entries())
    if (!about) expect(Math.abs(start! / 1000 - starts[at]!)).toBeLessThan(0.7)

  await context.sql`delete from transcripts`
  await context.sql`delete from speech_jobs`
  expect(await run()).toBe(1)
  const drafted = await draft()
  expect(drafted.source).toBe('machine')
  const heard = new Set(drafted.sentences.flatMap(({ text }) => foldedWords(text)))
  const spoken = new Set(said.flatMap(foldedWords))
  expect([...spoken].filter((word) => heard.has(word)).length / spoken.size).toBeGreaterThan(0.75)
}, 90_000)
