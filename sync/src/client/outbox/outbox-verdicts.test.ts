import 'fake-indexeddb/auto'
import { seriesTextOf } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeCursor } from '../../protocol/cursor.ts'
import {
  answerAs,
  hurry,
  refusedAs,
  sentenceAfter,
  tableAnswerNames,
  waitAfter,
  type TableAnswerName,
} from '../../testing/answer-table.ts'
import { AppDatabase, type OutboxEntry } from '../database/app-database.ts'
import { requestRate } from '../engine/rate.ts'
import { writeSyncState } from '../replica/sync-state.ts'
import { drain, type OutboxEvent } from './outbox-drain.ts'
import { appendDelete, appendEdit } from './outbox.ts'
import { appendNewSeries, appendSeriesDelete, appendSeriesEdit } from './series-entries.ts'

const startAt = 1_000_000
const author = { userId: 7, now: startAt }
const [here, elsewhere] = [1, 2].map((digit) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`) as [
  string,
  string,
]
const teaching = aTeaching({ uid: here, rev: 5 })
const series: Series = {
  uid: here,
  rev: 5,
  slug: 'hope',
  title: 'Hope',
  description: '',
  teachings: [],
  imageUrl: null,
}

/** Every call of the outbox: how its entry is made, and the row that the server answers with. */
const calls = {
  'edit a teaching': {
    append: (db) =>
      appendEdit(db, teaching, { ...textOf(teaching), ...textOf({ ...teaching, title: 'Mine' }) }, author),
    row: (given) => ({ ...teaching, rev: 6, title: 'Mine', ...given }),
  },
  'delete a teaching': {
    append: (db) => appendDelete(db, teaching, author),
    row: (given) => ({ ...teaching, rev: 6, ...given }),
  },
  'begin a series': {
    append: (db) => appendNewSeries(db, { ...seriesTextOf(series), title: 'Mine' }, author),
    row: (given) => ({ ...series, rev: 6, title: 'Mine', ...given }),
  },
  'edit a series': {
    append: (db) => appendSeriesEdit(db, series, { ...seriesTextOf(series), title: 'Mine' }, author),
    row: (given) => ({ ...series, rev: 6, title: 'Mine', ...given }),
  },
  'delete a series': {
    append: (db) => appendSeriesDelete(db, series, author),
    row: (given) => ({ ...series, rev: 6, ...given }),
  },
} satisfies Record<
  string,
  {
    append: (db: AppDatabase) => Promise<OutboxEntry | undefined>
    row: (given: { uid?: string; title?: string }) => object
  }
>
type Call = keyof typeof calls

/** done: it has left · again: after the backoff · sign in, rejected, conflict: a person's turn */
type Outcome = 'done' | 'again' | 'sign in' | 'rejected' | 'conflict'

const outcomeOf = (entry: OutboxEntry | undefined): Outcome => {
  const byState = { queued: 'again', sending: 'again', blocked_auth: 'sign in' } as const
  if (!entry) return 'done'
  return entry.state in byState ? byState[entry.state as keyof typeof byState] : (entry.state as Outcome)
}

/** The server's answer to this call if nothing is wrong. */
const rightAnswer = (name: Call, uid: string) =>
  Response.json(name.startsWith('delete') ? { success: true, rev: 6 } : calls[name].row({ uid }))

/** A device with one entry, to whose request this is answered each time, until the fault is over. */
async function sendOnce(name: Call, answer: (uid: string) => Response | Promise<Response>) {
  const db = new AppDatabase(`outbox-verdicts-${Math.random()}`)
  onTestFinished(() => db.delete())
  await db.teachings.put(teaching)
  await db.series.put(series)
  await writeSyncState(db, { cursor: encodeCursor({ epoch: here, rev: 5 }) })
  const { uid } = (await calls[name].append(db))!
  let now = startAt
  let given = answer
  const events: OutboxEvent['kind'][] = []
  const send = () =>
    drain(
      db,
      {
        base: 'http://server.test',
        fetch: (async (input: string) =>
          input.endsWith('/api/csrf-token')
            ? Response.json({ csrfToken: 'token' })
            : given(uid)) as typeof fetch,
      },
      {
        now: () => now,
        random: () => 1,
        userId: () => 7,
        rate: requestRate(() => now),
        onEvent: ({ kind }) => void events.push(kind),
      },
    )
  const dueAt = await send()
  const entry = (await db.outbox.toArray())[0]
  return {
    entry,
    events,
    /** Milliseconds until the next try; undefined if there is none. */
    waitMs: dueAt === undefined ? undefined : dueAt - now,
    /** Its time has come, and the fault is over. */
    retry: async () => {
      now = dueAt!
      given = (each) => rightAnswer(name, each)
      await send()
      return db.outbox.count()
    },
  }
}

/** By the call if they differ; an answer that is not named here is tried again. */
const table: Partial<Record<TableAnswerName, Outcome | ((name: Call) => Outcome)>> = {
  ...refusedAs('rejected'),
  '401 unauthorized': 'sign in',
  // The row to be deleted is gone, as was wanted.
  '404 not_found': (name) => (name.startsWith('delete') ? 'done' : 'rejected'),
  '409 duplicate': 'rejected',
  // Without the row that it is in conflict with.
  '409 revision_conflict': 'rejected',
  '409 upload_exists': 'rejected',
  '409 upload_incomplete': 'rejected',
  '409 upload_offset': 'rejected',
  '410 upload_damaged': 'rejected',
  '410 upload_gone': 'rejected',
}

const eventOf = { 'sign in': 'blocked_auth', again: 'retrying' } as const
const eventAfter = (outcome: Outcome) =>
  outcome in eventOf ? eventOf[outcome as keyof typeof eventOf] : outcome

describe.each(Object.keys(calls) as Call[])('what an answer does to the entry: %s', (name) => {
  hurry()

  test.each(tableAnswerNames)('%s', async (answer) => {
    const listed = table[answer] ?? 'again'
    const outcome = typeof listed === 'string' ? listed : listed(name)
    const { entry, events, waitMs, retry } = await sendOnce(name, () => answerAs(answer))
    expect([outcomeOf(entry), events]).toEqual([outcome, [eventAfter(outcome)]])
    if (outcome !== 'done') expect(entry!.lastError?.sentence).toBe(sentenceAfter(answer))
    expect(waitMs).toBe(outcome === 'again' ? waitAfter(answer) : undefined)
    if (outcome === 'again') expect(await retry()).toBe(0)
  })

  test('200 right: it is done', async () => {
    const { entry, events, waitMs } = await sendOnce(name, (uid) => rightAnswer(name, uid))
    expect([entry, events, waitMs]).toEqual([undefined, ['done'], undefined])
  })

  test('200 right, and cut off: it is sent again', async () => {
    const { entry, waitMs, retry } = await sendOnce(name, async (uid) => {
      const text = await rightAnswer(name, uid).text()
      return new Response(text.slice(0, -5))
    })
    expect([outcomeOf(entry), waitMs]).toEqual(['again', 2_000])
    expect(await retry()).toBe(0)
  })

  test('409 conflict with other words: a person decides between both', async () => {
    const { entry, events, waitMs } = await sendOnce(name, (uid) =>
      conflict(calls[name].row({ uid, title: 'Theirs' })),
    )
    expect([outcomeOf(entry), events, waitMs]).toEqual(['conflict', ['conflict'], undefined])
    expect(entry!.current).toMatchObject({ title: 'Theirs' })
  })

  test('409 with the same words ends an edit', async () => {
    const { entry } = await sendOnce(name, (uid) => conflict(calls[name].row({ uid, title: 'Mine' })))
    expect(outcomeOf(entry)).toBe(name.startsWith('delete') ? 'conflict' : 'done')
  })

  test('409 with another row removes the entry', async () => {
    const { entry } = await sendOnce(name, () =>
      conflict(calls[name].row({ uid: elsewhere, title: 'Theirs' })),
    )
    expect(outcomeOf(entry)).toBe(name.startsWith('delete') ? 'done' : 'rejected')
    if (entry) expect(entry.lastError?.code).toBe('not_found')
  })
})

const conflict = (current: object) =>
  Response.json(
    { success: false, code: 'revision_conflict', error: 'Somebody else changed it.', current },
    { status: 409 },
  )
