import 'fake-indexeddb/auto'
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answerAs,
  hurry,
  refusedAs,
  sentenceAfter,
  soon,
  tableAnswerNames,
  waitAfter,
  type TableAnswerName,
} from '../../testing/answer-table.ts'
import { AudioDatabase } from '../database/audio-database.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { requestRate } from '../engine/rate.ts'
import { audioKeyOf } from './audio-address.ts'
import { startDownloads } from './audio-downloads.ts'
import { saveRecording } from './audio-store.ts'

type Step = 'whole' | 'rest'
const startAt = 1_000_000
const bytes = randomBytes(chunkBytes + 500)
const key = createHash('sha256').update(bytes).digest('hex')
const teaching = {
  uid: 'a',
  title: 'Hope',
  speaker: 'John Smith',
  date: '2026-11-22',
  audioUrl: `/audio/${key}.mp3`,
  audioBytes: bytes.length,
  audioMime: 'audio/mpeg',
}

/** A device whose request for a recording, or for its missing bytes, gets this answer until the retry. */
async function downloadAt(step: Step, answer: TableAnswerName) {
  const db = new AudioDatabase(`verdicts-${Math.random()}`)
  await saveRecording(teaching, 1, db)
  if (step === 'rest')
    await db.chunks.put({ key, index: 0, data: new Uint8Array(bytes).buffer.slice(0, chunkBytes) })
  let isFaulty = true
  let now = startAt
  let endPause = () => {}
  const waits: number[] = []
  const downloads = startDownloads({
    db,
    transport: {
      base: 'http://server.test',
      fetch: async (_, init) => {
        if (isFaulty) return answerAs(answer)
        const from = Number(/\d+/.exec(new Headers(init?.headers).get('range') ?? '0')![0])
        const headers = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
        return new Response(bytes.subarray(from), { status: from > 0 ? 206 : 200, headers })
      },
    },
    now: () => now,
    random: () => 1,
    rate: requestRate(() => now),
    hasRoom: () => Promise.resolve(true),
    onWake: () => () => undefined,
    withLeaderLock: withoutLeaderLock,
    pause: (ms, woken) => {
      // The first one is while the request is under way.
      waits.push(ms)
      return Promise.race([woken, new Promise<void>((resolve) => (endPause = resolve))])
    },
  })
  onTestFinished(async () => {
    downloads.stop()
    await db.delete()
  })
  await soon(() => expect(waits).toHaveLength(2))
  const recording = async () => (await db.recordings.get(audioKeyOf(teaching.audioUrl)!))!
  return {
    waitMs: waits[1]!,
    recording,
    chunks: () => db.chunks.count(),
    /** Its time has come, and the fault is over. */
    retry: () => {
      isFaulty = false
      now += waits[1]!
      endPause()
    },
  }
}

/** Only our server refuses a recording for good; the person reads why. Everything else is tried again. */
const isRefused: Partial<Record<TableAnswerName, true>> = {
  ...refusedAs(true),
  '401 unauthorized': true,
  '404 not_found': true,
  '409 duplicate': true,
  '409 revision_conflict': true,
  '409 upload_exists': true,
  '409 upload_incomplete': true,
  '409 upload_offset': true,
  '410 upload_damaged': true,
  '410 upload_gone': true,
}

describe('what an answer does to a recording that is being saved', () => {
  hurry()

  test.each(tableAnswerNames)('%s', async (answer) => {
    for (const step of ['whole', 'rest'] as const) {
      const { waitMs, recording, chunks, retry } = await downloadAt(step, answer)
      // The received bytes stay after any answer.
      expect([step, await chunks()]).toEqual([step, step === 'rest' ? 1 : 0])
      if (isRefused[answer]) {
        expect(await recording()).toMatchObject({ state: 'refused', problem: sentenceAfter(answer) })
        expect(waitMs).toBe(Infinity)
        continue
      }
      const { state, problem, attempts } = await recording()
      expect([step, state, problem, attempts]).toEqual([step, 'waiting', undefined, 1])
      expect([step, waitMs]).toEqual([step, waitAfter(answer)])
      retry()
      await soon(async () => expect((await recording()).state).toBe('ready'))
    }
  })
})
