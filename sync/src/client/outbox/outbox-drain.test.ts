import 'fake-indexeddb/auto'
import { actingUserHeader } from '@fellowship/schema/endpoint'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, test, vi } from 'vitest'
import { encodeCursor } from '../../protocol/cursor.ts'
import { AppDatabase } from '../database/app-database.ts'
import { requestRate } from '../engine/rate.ts'
import { stallMs } from '../engine/request.ts'
import { readSyncState, writeSyncState } from '../replica/sync-state.ts'
import { drain, type OutboxEvent } from './outbox-drain.ts'
import {
  acknowledge,
  appendDelete,
  appendEdit,
  applyOutbox,
  decide,
  discard,
  handleConflict,
  park,
  readOutbox,
  takeBackDelete,
} from './outbox.ts'

type Answer = (request: {
  method: string
  path: string
  form: Record<string, string>
}) => Response | Promise<Response>

const author = { userId: 7, now: 0 }
const second = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e02'
const refused = (status: number, code: string, extra: object = {}) =>
  Response.json({ success: false, code, error: `Because of ${code}`, ...extra }, { status })

/** A device with these teachings, and a server with the test's answers. */
async function setting(answer: Answer, rows: Teaching[] = [aTeaching({ rev: 5 })]) {
  const db = new AppDatabase(`drain-${Math.random()}`)
  await db.teachings.bulkPut(rows)
  const state = { now: 1_000, answer, events: [] as OutboxEvent['kind'][] }
  const sent: { method: string; path: string; form: Record<string, string> }[] = []
  const senders: (string | null)[] = []
  const rate = requestRate(() => state.now)
  const transport = {
    base: 'http://server.test',
    fetch: (async (input: string, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(input)
      if (pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
      const form = Object.fromEntries(init?.body instanceof FormData ? init.body : searchParams) as Record<
        string,
        string
      >
      const request = { method: init!.method!, path: pathname, form }
      sent.push(request)
      senders.push(new Headers(init!.headers).get(actingUserHeader))
      return state.answer(request)
    }) as typeof fetch,
  }
  const run = () =>
    drain(db, transport, {
      now: () => state.now,
      random: () => 1,
      userId: () => 7,
      rate,
      onEvent: ({ kind }) => void state.events.push(kind),
    })
  const shown = async () => applyOutbox(await db.teachings.toArray(), await readOutbox(db, 7))
  const edit = async (changes: Partial<Teaching>, uid = rows[0]!.uid) => {
    const teaching = (await shown()).find((row) => row.uid === uid)!
    return (await appendEdit(
      db,
      teaching,
      { ...textOf(teaching), ...textOf({ ...teaching, ...changes }) },
      author,
    ))!
  }
  return { db, state, sent, senders, run, shown, edit, row: rows[0]! }
}

test('a silent request delays only its own teaching', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  try {
    const rows = [aTeaching({ rev: 5 }), aTeaching({ id: 2, uid: second, rev: 6 })]
    const { db, run, edit, sent } = await setting(
      // Not even the abort ends it.
      ({ path, form }) =>
        path.endsWith('/1')
          ? new Promise(() => {})
          : Response.json({ ...rows[1], title: form['title'], rev: 9 }),
      rows,
    )
    await edit({ title: 'A' })
    await edit({ title: 'B' }, second)
    const running = run()
    await expect.poll(() => db.outbox.count()).toBe(1)
    expect(sent).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(stallMs)
    await running
    expect(await db.outbox.toArray()).toMatchObject([{ state: 'queued', attempts: 1 }])
  } finally {
    vi.useRealTimers()
  }
})

test('an entry makes at most twelve requests a minute', async () => {
  let rev = 5
  // A conflict that merges by itself, each time with another revision.
  const { state, sent, run, edit } = await setting(() =>
    refused(409, 'revision_conflict', { current: aTeaching({ rev: (rev += 1) }) }),
  )
  await edit({ title: 'Mine' })
  const dueAt = await run()
  // With the request for the token.
  expect(sent).toHaveLength(11)
  expect(dueAt).toBe(state.now + 60_000)
})

describe('a discarded edit', () => {
  const duplicate = () => refused(409, 'duplicate')
  const done: Answer = ({ form }) => Response.json({ ...aTeaching(), ...form, baseRev: 0, rev: 6 })

  test('leaves none of its words in a later one', async () => {
    const { db, state, sent, run, edit, shown, row } = await setting(duplicate)
    const first = await edit({ title: 'First', speaker: 'Wrong Name' })
    await edit({ title: 'Second' })
    await run()
    await discard(db, first.mutationId)
    expect(await shown()).toMatchObject([{ title: 'Second', speaker: row.speaker }])
    state.answer = done
    await run()
    expect(sent.at(-1)!.form).toMatchObject({ title: 'Second', speaker: row.speaker })
  })

  test('leaves those after the next one without a conflict', async () => {
    const { db, run, edit } = await setting(duplicate)
    const first = await edit({ title: 'First' })
    await edit({ title: 'Second' })
    await edit({ title: 'Third' })
    await run()
    await discard(db, first.mutationId)
    expect(await db.outbox.toArray()).toMatchObject([
      { state: 'queued', patch: { title: 'Second' } },
      { state: 'queued', base: { title: 'Second' }, patch: { title: 'Third' } },
    ])
  })

  test('a rejected edit leaves no words behind', async () => {
    const { db, run, edit, row } = await setting(duplicate)
    const first = await edit({ title: 'First', speaker: 'Wrong Name' })
    await edit({ title: 'Second' })
    await edit({ description: 'Third' })
    await run()
    await db.teachings.put({ ...row, rev: 8, title: 'Theirs' })
    await discard(db, first.mutationId)
    expect(await db.outbox.toArray()).toMatchObject([
      { state: 'conflict', base: { speaker: row.speaker } },
      { state: 'queued', base: { speaker: row.speaker }, patch: { description: 'Third' } },
    ])
  })

  test('also removes a later entry without changes', async () => {
    const { db, run, edit, row } = await setting(duplicate)
    const first = await edit({ title: 'First' })
    await edit({ title: row.title })
    await run()
    await discard(db, first.mutationId)
    expect(await db.outbox.count()).toBe(0)
  })

  test('a gone teaching leaves the later entry’s base', async () => {
    const { db, run, edit, row } = await setting(() => refused(404, 'not_found'))
    const first = await edit({ title: 'First' })
    // Another user changed the title, which the first edit hides.
    await db.teachings.put({ ...row, rev: 8, title: 'Theirs', speaker: 'Ana' })
    await edit({ title: 'Second' })
    await run()
    await db.teachings.delete(row.uid)
    await discard(db, first.mutationId)
    expect(await db.outbox.toArray()).toMatchObject([
      { baseRev: 5, base: textOf(row), patch: { title: 'Second' } },
    ])
  })

  test('a later entry of the same word conflicts', async () => {
    const { db, run, edit, row } = await setting(duplicate)
    const first = await edit({ title: 'First' })
    await edit({ title: 'Second' })
    await run()
    await db.teachings.put({ ...row, rev: 8, title: 'Theirs' })
    await discard(db, first.mutationId)
    expect(await db.outbox.toArray()).toMatchObject([{ state: 'conflict', current: { title: 'Theirs' } }])
  })
})

describe('a deletion whose answer was lost, and that is taken back,', () => {
  const lost = () => {
    throw new TypeError('Failed to fetch')
  }
  const undoPath = `POST /api/teachings/${aTeaching().id}/undo-delete`

  async function takenBack(answer: Answer) {
    const device = await setting(lost)
    const { db, state, run, row } = device
    const deletion = await appendDelete(db, row, author)
    await run()
    expect(state.events).toEqual(['retrying'])
    expect(await takeBackDelete(db, deletion.mutationId)).toBe(true)
    state.answer = answer
    state.events = []
    const asked = () => device.sent.map(({ method, path }) => `${method} ${path}`).slice(1)
    return { ...device, deletion, asked }
  }

  test('undo ends with the acknowledgement or discard', async () => {
    const { db, run, row } = await setting(() => Response.json({ success: true, rev: 6 }))
    const { mutationId } = await appendDelete(db, row, author)
    await run()
    expect(await takeBackDelete(db, mutationId)).toBe(false)
  })

  test('an undo that the server refuses needs a person', async () => {
    const { db, run, shown, row, asked } = await takenBack(() => refused(403, 'forbidden'))
    await run()
    expect(asked()).toEqual([undoPath])
    expect(await db.outbox.toArray()).toMatchObject([
      { state: 'rejected', lastError: { sentence: 'Because of forbidden' } },
    ])
    expect(await shown()).toEqual([row])
  })

  test('an undo of a lost deletion ends without an event', async () => {
    const { db, state, run, shown, row, asked } = await takenBack(() => refused(404, 'not_found'))
    await run()
    expect(asked()).toEqual([undoPath])
    expect([await db.outbox.count(), await shown(), state.events]).toEqual([0, [row], []])
  })

  test('an undo is repeated until the server answers', async () => {
    const { db, state, run, edit, shown, row, sent, asked } = await takenBack(lost)
    await run()
    expect(await shown()).toEqual([row])
    await edit({ title: 'Mine' })
    state.now += 600_000
    state.answer = ({ method }) =>
      Response.json({ ...row, rev: 7, ...(method === 'PUT' && { rev: 8, title: 'Mine' }) })
    await run()
    expect(asked()).toEqual([undoPath, undoPath, `PUT /api/teachings/${row.id}`])
    expect(sent.at(-1)!.form['baseRev']).toBe('7')
    expect([await db.outbox.count(), await db.teachings.toArray()]).toEqual([
      0,
      [{ ...row, rev: 8, title: 'Mine' }],
    ])
  })

  test('an undo survives the discard of an earlier edit', async () => {
    const { db, edit, shown } = await setting(lost)
    const before = await edit({ title: 'Mine' })
    const { mutationId } = await appendDelete(db, (await shown())[0]!, author)
    await takeBackDelete(db, mutationId)
    await discard(db, before.mutationId)
    expect(await db.outbox.toArray()).toMatchObject([{ op: 'restore', state: 'queued' }])
  })

  test('an undo restores a pulled deletion', async () => {
    const { db, run, state, row, deletion } = await takenBack(lost)
    await acknowledge(db, deletion, { op: 'delete', rev: 6 })
    expect([await db.teachings.count(), await db.outbox.count()]).toEqual([0, 1])
    const cursor = encodeCursor({ epoch: second, rev: 6 })
    await writeSyncState(db, { ...(await readSyncState(db)), cursor })
    state.answer = () => Response.json({ ...row, rev: 7 })
    await run()
    expect([await db.teachings.toArray(), state.events]).toEqual([[{ ...row, rev: 7 }], ['done']])
  })
})

test('an edit names its teaching by uid', async () => {
  const other = aTeaching({ uid: second, rev: 900, title: 'Another' })
  const { db, sent, run, edit, row } = await setting(({ form }) =>
    form['uid'] === other.uid ? Response.json(other) : refused(409, 'revision_conflict', { current: other }),
  )
  await edit({ speaker: 'John Smith junior' })
  await run()
  expect(sent).toHaveLength(1)
  expect(sent[0]!.form).toMatchObject({ uid: row.uid })
  expect(await db.outbox.toArray()).toMatchObject([{ state: 'rejected', lastError: { code: 'not_found' } }])
})

test('an edit follows its teaching to a new number', async () => {
  const moved = aTeaching({ id: 9, rev: 1_000_001, speaker: 'Ana' })
  const { db, sent, run, edit } = await setting(({ form }) =>
    form['baseRev'] === '5'
      ? refused(409, 'revision_conflict', { current: moved })
      : Response.json({ ...moved, title: form['title'], rev: 1_000_002 }),
  )
  await edit({ title: 'Mine' })
  await run()
  expect(sent.map(({ path }) => path)).toEqual(['/api/teachings/1', '/api/teachings/9'])
  expect(await db.outbox.count()).toBe(0)
})

test('an edit of a yielded edit becomes a conflict', async () => {
  const theirs = aTeaching({ rev: 8, speaker: 'Theirs' })
  const { db, sent, run, edit } = await setting(() => refused(409, 'revision_conflict', { current: theirs }))
  const first = await edit({ speaker: 'First' })
  // Their revision is on this device when the second edit is made.
  await db.teachings.put(theirs)
  await edit({ speaker: 'Second' })
  await run()
  await decide(db, first.mutationId, textOf(theirs))
  await run()
  expect(sent).toHaveLength(1)
  expect(await db.outbox.toArray()).toMatchObject([
    { state: 'conflict', patch: { speaker: 'Second' }, current: { speaker: 'Theirs' } },
  ])
})

test('a late conflict leaves a decided entry unchanged', async () => {
  const current = aTeaching({ rev: 6, title: 'Theirs' })
  const { db, edit } = await setting(() => Response.json({}))
  const sent = await edit({ title: 'Mine' })
  await handleConflict(db, sent, current)
  await decide(db, sent.mutationId, { ...textOf(current), title: 'Decided' })
  await handleConflict(db, sent, aTeaching({ rev: 6, title: 'Mine' }))
  expect(await db.outbox.toArray()).toMatchObject([{ state: 'queued', patch: { title: 'Decided' } }])
})

test('every request names its author', async () => {
  const { db, run, edit, senders, state, row } = await setting(() => Response.json(aTeaching({ rev: 6 })))
  await edit({ title: 'Mine' })
  await run()
  state.answer = () => Response.json({ success: true, rev: 7 })
  await appendDelete(db, row, author)
  await run()
  expect(senders).toEqual(['7', '7'])
})

test('an acknowledgement leaves other people’s entries alone', async () => {
  const { db, run, edit, row } = await setting(() => Response.json(aTeaching({ rev: 6, title: 'Mine' })))
  await edit({ title: 'Mine' })
  const words = { ...textOf(row), speaker: 'Jane Doe' }
  const others = (await appendEdit(db, row, words, { userId: 8, now: 0 }))!
  await run()
  expect(await readOutbox(db, 7)).toEqual([])
  expect(await readOutbox(db, 8)).toEqual([others])
})

test('signing out parks the blocked entries of that user alone', async () => {
  const { db, edit } = await setting(() => Response.json({}))
  await edit({ title: 'Mine' })
  await edit({ title: 'Second' })
  await db.outbox.toCollection().modify((entry) => void Object.assign(entry, { state: 'blocked_auth' }))
  await db.outbox.toCollection().last((entry) => db.outbox.update(entry!.seq, { ownerUserId: 8 }))
  await park(db, 7)
  expect(await db.outbox.toArray()).toMatchObject([
    { ownerUserId: 7, state: 'queued' },
    { ownerUserId: 8, state: 'blocked_auth' },
  ])
})

test('the backoff of an entry survives a restart', async () => {
  const { db, state, sent, run, edit } = await setting(() => Promise.reject(new TypeError('Failed to fetch')))
  await edit({ title: 'Mine' })
  await run()
  db.close({ disableAutoOpen: false })
  state.now += 1_999
  await run()
  expect(sent).toHaveLength(1)
  state.now += 1
  await run()
  expect(sent).toHaveLength(2)
  expect(await db.outbox.toArray()).toMatchObject([{ attempts: 2, nextAttemptAt: state.now + 4_000 }])
})

test('resends an entry of a closed tab', async () => {
  const { db, run, edit } = await setting(() => Response.json(aTeaching({ rev: 6, title: 'Mine' })))
  const entry = await edit({ title: 'Mine' })
  await db.outbox.update(entry.seq, { state: 'sending' })
  await run()
  expect(await db.outbox.count()).toBe(0)
})
