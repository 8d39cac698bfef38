import 'fake-indexeddb/auto'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answerAs,
  hurry,
  isWithoutAnswer,
  sentenceAfter,
  soon,
  tableAnswerNames,
  waitAfter,
  type TableAnswerName,
} from '../../testing/answer-table.ts'
import { MemoryServer } from '../../testing/memory-server.ts'
import { testNetwork } from '../../testing/test-network.ts'
import { AppDatabase } from '../database/app-database.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
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
      fetch: async (...request) => (isFaulty ? answerAs(answer) : network.fetch(...request)),
    },
    now: () => now,
    random: () => 1,
    rate: requestRate(() => now),
    listen: () => () => undefined,
    withLeaderLock: withoutLeaderLock,
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
  await soon(() => expect(waits).toHaveLength(1))
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

describe('what an answer does to a pull: nothing here changes, and it is repeated', () => {
  hurry()

  test.each(tableAnswerNames)('%s', async (answer) => {
    for (const step of ['snapshot', 'changes'] as const) {
      // There it is an answer: nothing has changed.
      if (step === 'changes' && answer === '304 unasked') continue
      const { session, waitMs, titles, cursor, retry } = await pullAt(step, answer)
      expect([step, waitMs]).toEqual([step, waitAfter(answer)])
      // The screen shows it behind "Could not update".
      expect(session.status()).toEqual({
        syncing: false,
        failure: sentenceAfter(answer),
        unreachable: isWithoutAnswer(answer),
        failedAt: startAt,
      })
      expect([step, await titles()]).toEqual([step, step === 'changes' ? ['a'] : undefined])
      const before = await cursor()
      expect(before === undefined).toBe(step === 'snapshot')
      retry()
      await soon(() => expect(session.status().failure).toBeUndefined())
      expect([step, (await titles())?.sort()]).toEqual([step, step === 'changes' ? ['a', 'b'] : ['a']])
      expect(await cursor()).not.toBe(before)
    }
  })
})
