import 'fake-indexeddb/auto'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answerAs,
  hurry,
  sentenceAfter,
  soon,
  tableAnswerNames,
  waitAfter,
  type TableAnswerName,
} from '../../testing/answer-table.ts'
import { AppDatabase } from '../database/app-database.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { requestRate } from '../engine/rate.ts'
import { readAccount } from './listening-accounts.ts'
import { startSession, turnOn } from './listening-accounts.ts'
import { startListening } from './listening-session.ts'
import { writeMark } from './listening.store.ts'

type Step = 'read' | 'send'
const startAt = 1_000_000
const user = 7
const [here, elsewhere] = [1, 2].map((digit) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`) as [
  string,
  string,
]
const marks = (uid: string) => ({ kind: 'marks', row: { uid, heard: { on: true, at: startAt } } })
const page = { on: true, anew: false, next: 'c1', more: false, held: 1, serverTime: startAt }

/** A device with one mark to send and one to read; its request to read or to send gets this answer until the retry. */
async function exchangeAt(step: Step, answer: TableAnswerName) {
  const db = new AppDatabase(`listening-verdicts-${Math.random()}`)
  onTestFinished(() => db.delete())
  await turnOn(db, user)
  await startSession(db, user)
  await writeMark(here, 'heard', true, startAt, db)
  let isFaulty = true
  let now = startAt
  let signedOut = 0
  let endPause = () => {}
  const waits: number[] = []
  const session = startListening({
    db,
    now: () => now,
    random: () => 1,
    onSignedOut: () => (signedOut += 1),
    onWake: () => () => undefined,
    rate: requestRate(() => now),
    withLeaderLock: withoutLeaderLock,
    pause: (ms, woken) => {
      waits.push(ms)
      return Promise.race([woken, new Promise<void>((resolve) => (endPause = resolve))])
    },
    transport: {
      base: '',
      fetch: async (address, init) => {
        if ((address as string).endsWith('csrf-token')) return Response.json({ csrfToken: 'token' })
        const at: Step = init!.method === 'GET' ? 'read' : 'send'
        if (isFaulty && at === step) return answerAs(answer)
        return Response.json(
          at === 'read' ? { ...page, changes: [marks(elsewhere)] } : { results: [marks(here)], held: 1 },
        )
      },
    },
  })
  onTestFinished(() => session.stop())
  await session.setUser(user)
  const account = async () => (await readAccount(db, user))!
  const unsent = () => db.unsentListening.toArray()
  await soon(async () => {
    const { attempts, syncedAt } = await account()
    expect(attempts > 0 || syncedAt !== undefined).toBe(true)
  })
  await soon(() => expect(waits.at(-1)).toBeGreaterThan(0))
  return {
    account,
    unsent,
    heard: async () => (await db.marks.toArray()).map(({ uid }) => uid).sort(),
    signedOut,
    waitMs: async () => {
      await soon(() => expect(waits.at(-1)).not.toBe(Infinity))
      return waits.at(-1)!
    },
    /** Ends the fault and the pause. */
    retry: () => {
      isFaulty = false
      now += waits.at(-1)!
      endPause()
    },
  }
}

describe.each(['read', 'send'] as const)('an answer while listening waits, at %s', (step) => {
  hurry()

  test.each(tableAnswerNames)('%s', async (answer) => {
    const { account, unsent, heard, signedOut, waitMs, retry } = await exchangeAt(step, answer)
    const has = step === 'read' ? [here] : [here, elsewhere]
    expect(await heard()).toEqual(has)
    expect((await unsent()).map(({ key, refused }) => [key, refused])).toEqual([[here, undefined]])
    // The screen shows it after "Could not update".
    expect(await account()).toMatchObject({ attempts: 1, lastError: { sentence: sentenceAfter(answer) } })
    expect(signedOut).toBe(answer === '401 unauthorized' ? 1 : 0)
    expect(await waitMs()).toBe(waitAfter(answer))
    retry()
    await soon(async () => expect(await unsent()).toEqual([]))
    expect(await heard()).toEqual([here, elsewhere])
    await soon(async () => expect(await account()).not.toHaveProperty('lastError'))
  })
})
