import 'fake-indexeddb/auto'
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tableAnswers, type TableAnswerName } from '../../testing/answer-table.ts'
import { AudioDatabase } from '../database/audio-database.ts'
import { chunkBytes } from '../database/chunk-bytes.ts'
import { leadAlone } from '../engine/leader.ts'
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

/** A device whose request for a whole recording, or for what is missing of it, gets this answer, until it is over. */
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
        if (isFaulty) return tableAnswers[answer]()
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
    withLeaderLock: leadAlone,
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
  await vi.waitFor(() => expect(waits).toHaveLength(2))
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

/** The sentence that the person reads where the server refused it; else it is tried again. */
const refused: Partial<Record<TableAnswerName, string>> = {
  '400 ours': 'invalid_input',
  '401 ours': 'unauthorized',
  '403 ours': 'forbidden',
  '404 ours': 'not_found',
  '409 duplicate': 'duplicate',
  '409 conflict': 'revision_conflict',
  '410 ours': 'upload_gone',
  '413 ours': 'too_large',
}

const waitAfter = (answer: TableAnswerName) =>
  ({ '429 with Retry-After': 90_000, '503 ours': 10_000 })[answer as string] ?? 2_000

describe('what an answer does to a recording that is being saved', () => {
  test.each(Object.keys(tableAnswers) as TableAnswerName[])('%s', async (answer) => {
    for (const step of ['whole', 'rest'] as const) {
      const { waitMs, recording, chunks, retry } = await downloadAt(step, answer)
      const code = refused[answer]
      // Whatever was answered, the bytes that have come stay.
      expect([step, await chunks()]).toEqual([step, step === 'rest' ? 1 : 0])
      if (code !== undefined) {
        expect(await recording()).toMatchObject({ state: 'refused', problem: `Because of ${code}` })
        expect(waitMs).toBe(Infinity)
        continue
      }
      const { state, problem, attempts } = await recording()
      expect([step, state, problem, attempts]).toEqual([step, 'waiting', undefined, 1])
      expect([step, waitMs]).toEqual([step, waitAfter(answer)])
      retry()
      await vi.waitFor(async () => expect((await recording()).state).toBe('ready'))
    }
  })
})
