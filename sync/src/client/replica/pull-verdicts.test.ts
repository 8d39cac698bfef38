import 'fake-indexeddb/auto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tableAnswers, type TableAnswerName } from '../../testing/answer-table.ts'
import { MemoryServer } from '../../testing/memory-server.ts'
import { testNetwork } from '../../testing/test-network.ts'
import { AppDatabase } from '../database/app-database.ts'
import { leadAlone } from '../engine/leader.ts'
import { requestRate } from '../engine/rate.ts'
import { pause } from '../engine/sleep.ts'
import { startSync } from './sync-session.ts'
import { readSyncState } from './sync-state.ts'
import { readTeachings } from './teachings.store.ts'

type Step = 'snapshot' | 'changes'
const startAt = 1_000_000

/** A device whose request for a first snapshot, or for changes, gets this answer, until it is over. */
async function pullAt(step: Step, answer: TableAnswerName) {
  const server = new MemoryServer()
  server.commit([{ kind: 'teaching', uid: 'a', text: { title: 'a' } }])
  const network = testNetwork(server)
  let isFaulty = step === 'snapshot'
  let now = startAt
  let endPause = () => {}
  const waits: number[] = []
  const db = new AppDatabase(`verdicts-${Math.random()}`)
  const session = startSync({
    db,
    transport: {
      base: network.base,
      fetch: async (...request) => (isFaulty ? tableAnswers[answer]() : network.fetch(...request)),
    },
    now: () => now,
    random: () => 1,
    rate: requestRate(() => now),
    listen: () => () => undefined,
    withLeaderLock: leadAlone,
    pause: (ms, woken) => {
      if (ms === Infinity) return pause(ms, woken)
      waits.push(ms)
      return Promise.race([woken, new Promise<void>((resolve) => (endPause = resolve))])
    },
    onHeal: () => undefined,
  })
  onTestFinished(async () => {
    session.stop()
    await db.delete()
  })
  if (step === 'changes') {
    await session.pull()
    server.commit([{ kind: 'teaching', uid: 'b', text: { title: 'b' } }])
    isFaulty = true
    void session.pull()
  }
  await vi.waitFor(() => expect(waits).toHaveLength(1))
  return {
    session,
    waitMs: waits[0]!,
    titles: async () => (await readTeachings(db))?.map(({ uid }) => uid),
    cursor: async () => (await readSyncState(db)).cursor,
    /** Its time has come, and the fault is over. */
    retry: () => {
      isFaulty = false
      now += waits[0]!
      endPause()
    },
  }
}

const noConnection = 'No connection. Check your signal and try again.'
const notAsExpected = 'The server did not answer as expected. Try again.'
const because = (code: string) => `Because of ${code}`

/** What the person reads behind "Could not update". */
const table: Record<TableAnswerName, string> = {
  '200 {}': noConnection,
  '200 other JSON': noConnection,
  '200 HTML': noConnection,
  '200 cut off': noConnection,
  '204 without more': noConnection,
  '302 to a page': notAsExpected,
  '400 ours': because('invalid_input'),
  '400 of a proxy': notAsExpected,
  '401 ours': because('unauthorized'),
  '401 of a proxy': notAsExpected,
  '403 ours': because('forbidden'),
  '403 csrf, twice': because('csrf'),
  '404 ours': because('not_found'),
  '404 of a proxy': notAsExpected,
  '409 duplicate': because('duplicate'),
  '409 conflict': because('revision_conflict'),
  '409 of a proxy': notAsExpected,
  '410 ours': because('upload_gone'),
  '410 of a proxy': notAsExpected,
  '413 ours': because('too_large'),
  '413 of a proxy': notAsExpected,
  '423 ours': because('upload_busy'),
  '426 ours': because('upgrade_required'),
  '429 with Retry-After': notAsExpected,
  '429 ours': because('rate_limited'),
  '500 ours': because('internal'),
  '502 of a proxy': notAsExpected,
  '503 ours': because('unavailable'),
  '507 ours': because('disk_full'),
  'no answer': noConnection,
}

const waitAfter = (answer: TableAnswerName) =>
  ({ '429 with Retry-After': 90_000, '503 ours': 10_000 })[answer as string] ?? 2_000

describe('what an answer does to a pull: nothing here changes, and it is repeated', () => {
  test.each(Object.entries(table) as [TableAnswerName, string][])('%s', async (answer, failure) => {
    for (const step of ['snapshot', 'changes'] as const) {
      const { session, waitMs, titles, cursor, retry } = await pullAt(step, answer)
      expect([step, waitMs]).toEqual([step, waitAfter(answer)])
      expect(session.status()).toEqual({
        syncing: false,
        failure,
        unreachable: failure === noConnection,
        failedAt: startAt,
      })
      expect([step, await titles()]).toEqual([step, step === 'changes' ? ['a'] : undefined])
      const before = await cursor()
      expect(before === undefined).toBe(step === 'snapshot')
      retry()
      await vi.waitFor(() => expect(session.status().failure).toBeUndefined())
      expect([step, (await titles())?.sort()]).toEqual([step, step === 'changes' ? ['a', 'b'] : ['a']])
      expect(await cursor()).not.toBe(before)
    }
  })
})
