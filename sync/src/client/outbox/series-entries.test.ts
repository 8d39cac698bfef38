import 'fake-indexeddb/auto'
import type { Series } from '@fellowship/schema/series/series.schema'
import { emptySeries, seriesTextOf } from '@fellowship/schema/series/series-words'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, test } from 'vitest'
import { encodeCursor } from '../../protocol/cursor.ts'
import { AppDatabase } from '../database/app-database.ts'
import { requestRate } from '../engine/rate.ts'
import { writeSyncState } from '../replica/sync-state.ts'
import { drain, type OutboxEvent } from './outbox-drain.ts'
import { appendEdit, decide, discard, readOutbox, takeBackDelete } from './outbox.ts'
import { appendNewSeries, appendSeriesDelete, appendSeriesEdit, applySeriesOutbox } from './series-entries.ts'

const author = { userId: 7, now: 0 }
const [first, second, third] = [1, 2, 3].map((number) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${number}`) as [
  string,
  string,
  string,
]
const aSeries = (given: Partial<Series> = {}): Series => ({
  uid: '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e77',
  rev: 5,
  slug: 'hope',
  title: 'Hope',
  description: '',
  teachings: [first, second],
  imageUrl: null,
  ...given,
})
const refused = (status: number, code: string, extra: object = {}) =>
  Response.json({ success: false, code, error: `Because of ${code}`, ...extra }, { status })

interface Asked {
  method: string
  path: string
  body: Record<string, unknown>
}
type Answer = (asked: Asked) => Response

/** A device with these series, and a server with the test's answers. */
async function setting(answer: Answer, rows: Series[] = [aSeries()]) {
  const db = new AppDatabase(`series-${Math.random()}`)
  await db.series.bulkPut(rows)
  await writeSyncState(db, { cursor: encodeCursor({ epoch: first, rev: 5 }) })
  const asked: Asked[] = []
  const events: OutboxEvent['kind'][] = []
  const state = { answer }
  const transport = {
    base: 'http://server.test',
    fetch: (async (input: string, init?: RequestInit) => {
      const { pathname, search } = new URL(input)
      if (pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
      const body = JSON.parse((init?.body as string | undefined) ?? '{}') as Record<string, unknown>
      const request = { method: init!.method!, path: pathname + search, body }
      asked.push(request)
      return state.answer(request)
    }) as typeof fetch,
  }
  const rate = requestRate(() => 0)
  const send = () =>
    drain(db, transport, {
      now: () => 1_000,
      random: () => 1,
      userId: () => 7,
      rate,
      onEvent: ({ kind }) => void events.push(kind),
    })
  const shown = async () => applySeriesOutbox(await db.series.toArray(), await readOutbox(db, 7))
  return { db, asked, events, state, send, shown }
}

/** Answers as the server does, with the next revision. */
function taking(row: Series = aSeries()): Answer {
  let present = row
  return ({ method, path, body }) => {
    if (method === 'DELETE') return Response.json({ success: true, rev: present.rev + 1 })
    const { baseRev: _baseRev, ...words } = body
    const before = method === 'POST' ? aSeries({ ...emptySeries, slug: 'faith', teachings: [] }) : present
    const uid = (body['uid'] as string | undefined) ?? path.split('/').at(-1)!
    present = { ...before, ...words, uid, rev: present.rev + 1 }
    return Response.json(present)
  }
}

describe('not taken by the server', () => {
  test('an edit that changes nothing makes no entry', async () => {
    const { db } = await setting(taking())
    expect(await appendSeriesEdit(db, aSeries(), seriesTextOf(aSeries()), author)).toBeUndefined()
    expect(await db.outbox.count()).toBe(0)
  })

  test('a refused series stays until it is discarded', async () => {
    const { db, events, send, shown } = await setting(() => refused(400, 'invalid_input'), [])
    const { mutationId } = await appendNewSeries(db, { ...emptySeries, title: 'Faith' }, author)
    const [begun] = await shown()
    await appendSeriesEdit(db, begun!, { ...seriesTextOf(begun!), teachings: [third] }, author)
    await send()
    expect(events).toEqual(['rejected'])
    expect(await shown()).toMatchObject([{ title: 'Faith', teachings: [third] }])
    await discard(db, mutationId)
    expect(await db.outbox.count()).toBe(0)
    expect(await shown()).toEqual([])
  })

  test('a conflicting new series is discarded alone', async () => {
    const { db, state, send } = await setting(taking(), [])
    const { uid, mutationId } = await appendNewSeries(db, { ...emptySeries, title: 'Faith' }, author)
    const begun = aSeries({ uid, rev: 0, title: 'Faith', teachings: [] })
    await appendSeriesEdit(db, begun, { ...seriesTextOf(begun), description: 'Three.' }, author)
    state.answer = () =>
      refused(409, 'revision_conflict', { current: aSeries({ uid, rev: 8, title: 'Hope', teachings: [] }) })
    await send()
    await discard(db, mutationId)
    expect(await db.outbox.toArray()).toMatchObject([
      { op: 'edit', baseRev: 8, base: { title: 'Hope' }, patch: { description: 'Three.' } },
    ])
  })

  test('an answer that is no series leaves the entry queued', async () => {
    const { db, send } = await setting(() => Response.json({ uid: aSeries().uid, rev: 6 }))
    await appendSeriesEdit(db, aSeries(), { ...seriesTextOf(aSeries()), title: 'Faith' }, author)
    await send()
    expect((await db.outbox.toArray()).map(({ state }) => state)).toEqual(['queued'])
  })

  test('two orders of a series are a conflict', async () => {
    const current = aSeries({ rev: 8, teachings: [third, first] })
    const { db, state, send, asked } = await setting(() => refused(409, 'revision_conflict', { current }))
    await appendSeriesEdit(db, aSeries(), { ...seriesTextOf(aSeries()), teachings: [second, first] }, author)
    await send()
    const [entry] = await db.outbox.toArray()
    expect(entry).toMatchObject({ state: 'conflict', current })
    state.answer = taking(current)
    await decide(db, entry!.mutationId, { ...seriesTextOf(current), teachings: [second, first, third] })
    await send()
    expect(asked.at(-1)).toMatchObject({
      method: 'PUT',
      body: { baseRev: 8, teachings: [second, first, third] },
    })
    expect(await db.outbox.count()).toBe(0)
  })
})

test('sends offline changes of a series in order', async () => {
  const { db, asked, send, shown } = await setting(taking(), [])
  await appendNewSeries(db, { ...emptySeries, title: 'Faith', teachings: [first] }, author)
  const [begun] = await shown()
  expect(begun).toMatchObject({ rev: 0, title: 'Faith', teachings: [first] })
  expect(begun!.slug).toBe(begun!.uid)
  await appendSeriesEdit(db, begun!, { ...seriesTextOf(begun!), description: 'Three.' }, author)
  const [edited] = await shown()
  await appendSeriesDelete(db, edited!, author)
  expect(await shown()).toEqual([])
  await send()
  const path = `/api/series/${begun!.uid}`
  expect(asked).toMatchObject([
    { method: 'POST', path: '/api/series', body: { uid: begun!.uid, title: 'Faith', teachings: [first] } },
    { method: 'PUT', path, body: { description: 'Three.', baseRev: 6 } },
    { method: 'DELETE', path: `${path}?baseRev=7` },
  ])
  expect(await db.series.count()).toBe(0)
})

test('undoes a deletion whose answer was lost', async () => {
  const { db, asked, state, send, shown } = await setting(() => {
    throw new TypeError('Failed to fetch')
  })
  const { mutationId } = await appendSeriesDelete(db, aSeries(), author)
  await send()
  await takeBackDelete(db, mutationId)
  expect(await shown()).toEqual([aSeries()])
  state.answer = () => Response.json(aSeries({ rev: 7 }))
  await send()
  expect(asked.at(-1)).toMatchObject({ method: 'POST', path: `/api/series/${aSeries().uid}/undo-delete` })
  expect([await db.outbox.count(), await db.series.toArray()]).toEqual([0, [aSeries({ rev: 7 })]])
})

test('a rename and another person’s new order merge by themselves', async () => {
  const current = aSeries({ rev: 8, teachings: [third] })
  const { db, state, send, asked, events } = await setting(() =>
    refused(409, 'revision_conflict', { current }),
  )
  await appendSeriesEdit(db, aSeries(), { ...seriesTextOf(aSeries()), title: 'Faith' }, author)
  const answer = taking(current)
  state.answer = (request) =>
    request.body['baseRev'] === 8 ? answer(request) : refused(409, 'revision_conflict', { current })
  await send()
  expect(asked.map(({ body }) => body)).toEqual([
    { title: 'Faith', baseRev: 5 },
    { title: 'Faith', baseRev: 8 },
  ])
  expect(events).toEqual(['done'])
})

test('a new series that the server has is done', async () => {
  const { db, send, state } = await setting(taking(), [])
  const { uid } = await appendNewSeries(db, { ...emptySeries, title: 'Faith' }, author)
  const current = aSeries({ uid, title: 'Faith', teachings: [] })
  state.answer = () => refused(409, 'revision_conflict', { current })
  await send()
  expect(await db.outbox.count()).toBe(0)
})

test('an acknowledged series is in the replica, with its address', async () => {
  const { db, send } = await setting(taking(), [])
  await appendNewSeries(db, { ...emptySeries, title: 'Faith' }, author)
  await send()
  expect(await db.series.toArray()).toMatchObject([{ slug: 'faith', title: 'Faith', rev: 6 }])
})

test('entries of teachings and series stay apart', async () => {
  const { db, asked, send } = await setting(taking())
  const teaching = aTeaching({ uid: aSeries().uid, rev: 3 })
  const failing = await appendEdit(db, teaching, { ...textOf(teaching), title: 'Grace' }, author)
  await db.outbox.update(failing!.seq, { state: 'rejected' })
  await appendSeriesEdit(db, aSeries(), { ...seriesTextOf(aSeries()), title: 'Faith' }, author)
  await send()
  expect(asked).toMatchObject([{ method: 'PUT', path: `/api/series/${teaching.uid}` }])
  expect(await db.outbox.toArray()).toMatchObject([
    { state: 'rejected', patch: { title: 'Grace' }, baseRev: 3 },
  ])
})
