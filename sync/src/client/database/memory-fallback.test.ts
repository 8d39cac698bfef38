import 'fake-indexeddb/auto'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Transport } from '../../call/call.ts'
import { withLeaderLock } from '../engine/leader.ts'
import { requestRate } from '../engine/rate.ts'
import { appendEdit } from '../outbox/outbox.ts'
import { startOutbox } from '../outbox/outbox-session.ts'
import { addFile } from '../uploads/upload-copy.ts'
import { startUploads } from '../uploads/upload-queue.ts'
import { AppDatabase } from './app-database.ts'
import { liveQuery } from './device-database.ts'
import { memoryFallback, onMemoryUse, usesMemory, type IndexedDb } from './memory-fallback.ts'
import { UploadDatabase } from './upload-database.ts'

const load = async () => ({ indexedDB: new IDBFactory(), IDBKeyRange }) as unknown as IndexedDb

/** A browser whose `open` reports this error, as an event. */
function failing(name: string): Partial<IndexedDb> {
  const open = vi.fn(() => {
    const error = new DOMException('refused', name)
    const request = { error, result: undefined, transaction: null } as never as ReturnType<
      IndexedDb['indexedDB']['open']
    >
    queueMicrotask(() => request.onerror?.({ target: request, preventDefault: () => undefined } as never))
    return request
  })
  return { indexedDB: { open } as never }
}

const throwing: Partial<IndexedDb> = {
  indexedDB: {
    open: () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    },
  } as never,
}

const browsers: [string, () => Partial<IndexedDb>][] = [
  ['missing', () => ({})],
  ['refused by an exception', () => throwing],
  ['refused by an error event', () => failing('InvalidStateError')],
  ['broken, with an unknown error each time', () => failing('UnknownError')],
]

const noLock = (work: (signal: AbortSignal) => Promise<void>) => {
  const over = new AbortController()
  void work(over.signal)
  return () => over.abort()
}
const common = {
  now: () => 0,
  random: () => 0,
  rate: requestRate(() => 0),
  withLeaderLock: noLock,
  pause: (_ms: number, wake: Promise<void>) => wake,
}

test.each(browsers)('IndexedDB %s: an edit is sent from memory', async (_, browser) => {
  const db = new AppDatabase('app', memoryFallback(browser(), load))
  const teaching = aTeaching()
  const sent: unknown[] = []
  const transport: Transport = {
    base: '',
    fetch: async (_address, init) => {
      if (!init?.body) return Response.json({ csrfToken: 'token' })
      sent.push(Object.fromEntries(init.body as FormData))
      return Response.json({ ...teaching, title: 'Hope for all', rev: teaching.rev + 1 })
    },
  }
  const onEvent = vi.fn()
  const session = startOutbox({ ...common, db, transport, onEvent, onWake: () => () => undefined })
  onTestFinished(() => session.stop())
  const { speaker, date } = teaching
  const edited = { title: 'Hope for all', speaker, date, scriptureReference: '' }
  await appendEdit(db, teaching, edited, { userId: 7, now: 0 })
  expect(await db.isInMemory()).toBe(true)
  session.setUser(7)
  await expect.poll(() => onEvent.mock.calls.map(([{ kind }]) => kind as string)).toEqual(['done'])
  expect(sent).toMatchObject([{ title: 'Hope for all' }])
  expect(await db.outbox.count()).toBe(0)
})

test.each(browsers)('IndexedDB %s: a recording is queued in memory and uploaded', async (_, browser) => {
  const db = new UploadDatabase('uploads', memoryFallback(browser(), load))
  let received = 0
  const transport: Transport = {
    base: 'http://server.test',
    fetch: async (address, init) => {
      const { pathname } = new URL(address as string)
      if (pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
      const finalized = /\/([^/]+)\/finalize$/.exec(pathname)?.[1]
      if (finalized) return Response.json({ success: true, teaching: aTeaching({ uid: finalized }) })
      if (init?.method === 'PATCH') received += (init.body as Uint8Array).length
      return new Response(null, {
        status: init?.method === 'POST' ? 201 : 204,
        headers: { 'upload-offset': String(received) },
      })
    },
  }
  const queue = startUploads({
    ...common,
    db,
    transport,
    userId: () => 7,
    onEvent: () => undefined,
    isCopying: () => Promise.resolve(false),
    copyEnded: () => new Promise(() => {}),
    onRetryNow: () => () => undefined,
  })
  onTestFinished(() => queue.stop())
  const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
  const file = new File([new Uint8Array(1_500_000)], 'a.mp3')
  const copying = {
    hold: <T>(_id: string, work: () => Promise<T>) => work(),
    yieldToMain: async () => undefined,
  }
  const id = await addFile(db, file, { fields, ownerUserId: 7, now: 0 }, copying)
  await expect.poll(async () => (await db.jobs.get(id!))?.state).toBe('done')
  expect(received).toBe(1_500_000)
  expect(await db.chunks.count()).toBe(0)
})

test('a memory database survives closing and feeds live queries', async () => {
  const onUse = vi.fn()
  onTestFinished(onMemoryUse(onUse))
  // Called at once if another database of this page is in memory.
  onUse.mockClear()
  const db = new AppDatabase('app', memoryFallback({}, load))
  const counts: number[] = []
  const watching = liveQuery(() => db.elders.count()).subscribe((count) => void counts.push(count))
  onTestFinished(() => watching.unsubscribe())
  await expect.poll(() => counts).toEqual([0])
  await db.elders.add({ uid: 'a' } as never)
  await expect.poll(() => counts).toEqual([0, 1])
  db.close({ disableAutoOpen: false })
  expect(await db.elders.count()).toBe(1)
  expect(onUse).toHaveBeenCalled()
  expect(usesMemory()).toBe(true)
})

test('a working IndexedDB is used and its failures reported', async () => {
  const browser = new IDBFactory()
  const fetched = vi.fn(load)
  const fallback = memoryFallback({ indexedDB: browser, IDBKeyRange } as unknown as IndexedDb, fetched)
  const db = new AppDatabase('app', fallback)
  await db.elders.add({ uid: 'a' } as never)
  expect(await db.elders.where('uid').above('').count()).toBe(1)
  expect(await db.isInMemory()).toBe(false)
  db.close({ disableAutoOpen: false })
  vi.spyOn(browser, 'open').mockImplementation(() => {
    throw new DOMException('The connection was lost.', 'InvalidStateError')
  })
  await expect(db.elders.count()).rejects.toThrow('The connection was lost.')
  expect(fetched).not.toHaveBeenCalled()
})

test('an IndexedDB that works at the fourth attempt is used', async () => {
  const working = new IDBFactory()
  const broken = failing('UnknownError').indexedDB!.open
  let attempts = 0
  const open: typeof broken = (...asked) =>
    ((attempts += 1) > 3 ? working.open.bind(working) : (broken as never as typeof working.open))(
      ...asked,
    ) as never
  const db = new AppDatabase(
    'app',
    memoryFallback({ indexedDB: { open } as never, IDBKeyRange } as never, load),
  )
  expect(await db.isInMemory()).toBe(false)
})

test('an outdated page still reports its memory database', async () => {
  new AppDatabase('upgraded').becomeOutdated('outdated')
  const db = new AppDatabase('app', memoryFallback({}, load))
  expect(await db.isInMemory()).toBe(true)
  db.becomeOutdated('outdated')
  expect(await db.isInMemory()).toBe(false)
})

test('opening retries after the implementation was not fetched', async () => {
  const fetched = vi.fn(load).mockRejectedValueOnce(new TypeError('offline'))
  const db = new AppDatabase('app', memoryFallback({}, fetched))
  await expect(db.open()).rejects.toThrow('offline')
  await db.open()
  expect(await db.elders.count()).toBe(0)
})

test('every tab with a memory database leads', async () => {
  const request = vi.fn()
  vi.stubGlobal('navigator', { locks: { request } })
  onTestFinished(() => void vi.unstubAllGlobals())
  const work = vi.fn(async () => undefined)
  const stop = withLeaderLock('outbox', new AppDatabase('app', memoryFallback({}, load)), work)
  await expect.poll(() => work.mock.calls.length).toBe(1)
  expect(request).not.toHaveBeenCalled()
  stop()
})
