import 'fake-indexeddb/auto'
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { wordsIn } from '@fellowship/schema/teachings/teaching-words'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { chunkBytes } from '../database/stored-files.ts'
import { stallMs } from '../engine/request.ts'
import { requestRate } from '../engine/rate.ts'
import { handoutsOf, UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import { addFile, chooseAgain, type NewUpload } from './upload-copy.ts'
import {
  cancelUpload,
  correctUpload,
  pauseUpload,
  readUploads,
  resumeUpload,
  retryUpload,
  retryUploadsNow,
  unblockUploads,
  type UploadJobEvent,
} from './upload-jobs.ts'
import { startUploads, type UploadDeps, type UploadQueue } from './upload-queue.ts'

// Real databases and real time: a busy machine takes longer.
vi.setConfig({ testTimeout: 300_000 })

type Answer = Response | 'no line' | Promise<Response>
type Ask = (request: { method: string; path: string; init: RequestInit }) => Answer | undefined

const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
let databases = 0
let stop: (() => void)[] = []
afterEach(() => {
  for (const each of stop) each()
  stop = []
})

/** The body of a page, which asks the person about doubtful sound. */
const asking = (body: object) => ({ ...body, acceptSound: false })

/** A server that accepts everything, unless `ask` returns an answer of its own. */
async function setting(size = 2_500_000, ask: Ask = () => undefined) {
  const db = new UploadDatabase(`queue-${(databases += 1)}`)
  const state = {
    now: 1_000,
    user: 7 as number | undefined,
    ask,
    events: [] as UploadJobEvent[],
    asked: [] as string[],
  }
  const uploads = new Map<string, number>()
  const finalized: unknown[] = []
  const transport = {
    base: 'http://server.test',
    fetch: (async (input: string, init: RequestInit) => {
      const { pathname: path } = new URL(input)
      const method = init.method ?? 'GET'
      if (path === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
      state.asked.push(`${method} ${path.replace(/[0-9a-f-]{36}/, 'x')}`)
      const answer = state.ask({ method, path, init })
      if (answer === 'no line') throw new TypeError('Failed to fetch')
      if (answer) return answer
      const id = /[0-9a-f-]{36}/.exec(path)?.[0] ?? ''
      if (path.endsWith('/finalize')) {
        const body = JSON.parse(init.body as string) as { uid?: string }
        finalized.push(body)
        return Response.json({ success: true, teaching: aTeaching({ uid: body.uid ?? id }) })
      }
      if (method === 'DELETE') return new Response(null, { status: 204 })
      if (method === 'POST') {
        const jobId = /jobId ([^,]+)/.exec(new Headers(init.headers).get('upload-metadata')!)![1]!
        uploads.set(atob(jobId), 0)
        return new Response(null, { status: 201 })
      }
      if (!uploads.has(id)) return new Response(null, { status: 404 })
      if (method === 'PATCH') uploads.set(id, uploads.get(id)! + (init.body as Uint8Array).length)
      return new Response(null, {
        status: method === 'PATCH' ? 204 : 200,
        headers: { 'upload-offset': String(uploads.get(id)) },
      })
    }) as typeof fetch,
  }
  const copying = {
    hold: <T>(_: string, work: () => Promise<T>) => work(),
    yieldToMain: () => Promise.resolve(),
  }
  const add = async (
    bytes = size,
    replace?: UploadJob['replace'],
    more: Partial<Pick<NewUpload, 'captions' | 'handouts'>> = {},
  ) =>
    (await addFile(
      db,
      new File([new Uint8Array(randomBytes(bytes))], 'a.mp3'),
      { fields, ownerUserId: 7, now: (state.now += 1), ...(replace && { replace }), ...more },
      copying,
    ))!
  const start = (
    withLeaderLock: (work: (signal: AbortSignal) => Promise<void>) => () => void = runAtOnce,
    copies: Partial<Pick<UploadDeps, 'isCopying' | 'copyEnded'>> = {},
  ): UploadQueue => {
    const queue = startUploads({
      db,
      transport,
      withLeaderLock,
      now: () => state.now,
      random: () => 0.5,
      rate: requestRate(() => state.now),
      userId: () => state.user,
      onEvent: (event) => void state.events.push(event),
      isCopying: () => Promise.resolve(false),
      copyEnded: () => new Promise(() => {}),
      ...copies,
      onRetryNow: () => () => undefined,
      pause: (_ms, woken) => Promise.race([woken, delay(20)]).then(() => undefined),
    })
    stop.push(() => queue.stop())
    return queue
  }
  const until = async (id: string, wanted: (job: UploadJob | undefined) => boolean) => {
    for (let tries = 0; tries < 4_000; tries += 1) {
      const job = await db.jobs.get(id)
      if (wanted(job)) return job!
      await delay(10)
    }
    throw new Error(`did not happen: ${JSON.stringify(await db.jobs.get(id))}`)
  }
  const isIn = (name: UploadJob['state']) => (job: UploadJob | undefined) => job?.state === name
  return { db, state, add, start, until, isIn, finalized, uploads }
}

function runAtOnce(work: (signal: AbortSignal) => Promise<void>) {
  const over = new AbortController()
  void work(over.signal)
  return () => over.abort()
}

const problem = (status: number, code: string, extra: object = {}) =>
  Response.json({ success: false, code, error: `Because of ${code}`, ...extra }, { status })

test('a copy is lost once its tab is closed', async () => {
  const { db, start, until, isIn } = await setting()
  let isOpen = true
  let close = () => {}
  const closed = new Promise<void>((resolve) => (close = resolve))
  start(undefined, { isCopying: async () => isOpen, copyEnded: () => closed })
  // Reading stops for good with the tab.
  const file = new File([new Uint8Array(10)], 'a.mp3')
  vi.spyOn(file, 'slice').mockReturnValue({ arrayBuffer: () => new Promise(() => {}) } as never)
  void addFile(
    db,
    file,
    { fields, ownerUserId: 7, now: 1 },
    { hold: (_, work) => work(), yieldToMain: async () => {} },
  )
  const { id } = await vi.waitUntil(() => db.jobs.toCollection().first())
  await delay(200)
  expect(await db.jobs.get(id)).toMatchObject({ state: 'copying' })

  isOpen = false
  close()
  expect(await until(id, isIn('lost'))).toMatchObject({ lastError: { code: 'interrupted' } })
})

describe('failures of an upload', () => {
  test.each([
    ['POST', 401],
    ['HEAD', 401],
    ['PATCH', 401],
    ['finalize', 401],
  ])('%s answered %i: resumes after the sign-in', async (where, status) => {
    const { db, state, add, start, until, isIn } = await setting(2_500_000)
    state.ask = ({ method, path }) => {
      const isRefused =
        where === 'finalize' ? path.endsWith('/finalize') : method === where && !path.endsWith('/finalize')
      if (where === 'HEAD' && method === 'PATCH') return new Response('<html>', { status: 502 })
      return isRefused ? new Response(null, { status }) : undefined
    }
    const id = await add()
    start()
    await until(id, (job) => (state.now += 1_000_000) > 0 && job?.state === 'blocked_auth')
    expect(await db.chunks.count()).toBe(3)
    expect(state.events.map(({ kind }) => kind)).toContain('blocked_auth')
    state.ask = () => undefined
    await unblockUploads(db, 7, state.now)
    await until(id, isIn('done'))
  })

  test.each<[number, string, UploadJob['state']]>([
    [409, 'duplicate', 'duplicate'],
    [422, 'duplicate', 'duplicate'],
    [415, 'unsupported_audio', 'rejected'],
    [400, 'invalid_input', 'rejected'],
    [409, 'revision_conflict', 'rejected'],
  ])('finalize answered %i %s: %s, with its bytes', async (status, code, end) => {
    const { db, state, add, start, until, isIn, finalized } = await setting(1_000)
    state.ask = ({ path }) => (path.endsWith('/finalize') ? problem(status, code) : undefined)
    const id = await add()
    start()
    expect(await until(id, isIn(end))).toMatchObject({
      lastError: { code, sentence: `Because of ${code}` },
    })
    expect(await db.chunks.count()).toBe(1)
    state.ask = () => undefined
    await retryUpload(db, id, { fields: { ...fields, title: 'Else' } }, state.now)
    await until(id, isIn('done'))
    expect(finalized).toMatchObject([{ title: 'Else' }])
  })

  describe('its handouts', () => {
    const handouts = ['Outline.pdf', 'Map.png'].map((name) => ({
      name,
      data: new TextEncoder().encode(name).buffer,
    }))
    const isHandout = (path: string) => path.endsWith('/handouts')
    const nameIn = ({ body }: RequestInit) => ((body as FormData).get('handout') as File).name
    const added = () => Response.json(aTeaching({}))
    const withHandouts = async (answer: (name: string) => Answer) => {
      const all = await setting(1_000, ({ path, init }) =>
        isHandout(path) ? answer(nameIn(init)) : undefined,
      )
      const id = await all.add(1_000, undefined, { handouts })
      return { ...all, id, begin: all.start }
    }

    test('the recording is done without refused handouts', async () => {
      const { db, id, begin, until, isIn } = await withHandouts((name) =>
        name === 'Map.png' ? added() : problem(415, 'unsupported_media'),
      )
      begin()
      const job = await until(id, isIn('done'))
      const sentence = 'Because of unsupported_media'
      expect(job.refusedHandouts).toEqual([{ name: 'Outline.pdf', sentence }])
      expect([job.handouts, job.lastError, await db.chunks.count()]).toEqual([undefined, undefined, 0])
    })

    test('a handout that the device has lost is named', async () => {
      const { db, id, begin, until, isIn } = await withHandouts(added)
      await db.chunks.delete([handoutsOf(id), 1])
      begin()
      const job = await until(id, isIn('done'))
      const sentence = uploadQueueTexts.handoutLost
      expect(job.refusedHandouts).toEqual([{ name: 'Map.png', sentence }])
    })

    test('a cancelled recording leaves no handout', async () => {
      const { db, id } = await withHandouts(added)
      expect(await db.chunks.count()).toBe(3)
      await cancelUpload(db, id)
      expect(await db.chunks.count()).toBe(0)
    })

    test.each<[string, Answer, UploadJob['state']]>([
      ['without a connection', 'no line', 'queued'],
      ['after the session ended', problem(401, 'unauthorized'), 'blocked_auth'],
    ])('%s they are sent later, whole', async (_, failure, waiting) => {
      const { db, id, state, finalized, begin, until, isIn } = await withHandouts(() =>
        failure instanceof Response ? failure.clone() : failure,
      )
      begin()
      await until(id, (job) => isIn(waiting)(job) && job?.lastError !== undefined)
      const sent: [name: string, content: string][] = []
      state.ask = ({ path, init }) => {
        if (!isHandout(path)) return undefined
        const file = (init.body as FormData).get('handout') as File
        return file.text().then((content) => {
          sent.push([file.name, content])
          return added()
        })
      }
      await unblockUploads(db, 7, state.now)
      const job = await until(id, (each) => (state.now += 400_000) > 0 && isIn('done')(each))
      expect(sent).toEqual(handouts.map(({ name }) => [name, name]))
      expect([finalized.length, job.refusedHandouts, await db.chunks.count()]).toEqual([1, undefined, 0])
    })
  })

  describe('its text', () => {
    const captions = new TextEncoder().encode('Grace to you.').buffer
    const isText = (path: string) => path.endsWith('/transcript')
    const withText = async (answer: () => Answer) => {
      const all = await setting(1_000, ({ path }) => (isText(path) ? answer() : undefined))
      const id = await all.add(1_000, undefined, { captions })
      all.start()
      return { ...all, id }
    }
    const texts = (asked: string[]) => asked.filter((each) => isText(each))

    test('the recording is done if its text is refused', async () => {
      const { id, until, isIn } = await withText(() => problem(400, 'invalid_input'))
      const job = await until(id, isIn('done'))
      expect(job).toMatchObject({ lastError: { sentence: 'Because of invalid_input' } })
      expect(job.captions).toBeUndefined()
    })

    test.each<[string, Answer, UploadJob['state']]>([
      ['without a connection', 'no line', 'queued'],
      ['after the session ended', problem(401, 'unauthorized'), 'blocked_auth'],
    ])('%s it is sent later, alone', async (_, failure, waiting) => {
      const { db, id, state, finalized, until, isIn } = await withText(() =>
        failure instanceof Response ? failure.clone() : failure,
      )
      await until(id, (job) => isIn(waiting)(job) && job?.lastError !== undefined)
      let sent = ''
      state.ask = ({ path, init }) => {
        if (!isText(path)) return undefined
        sent = (init.body as FormData).get('transcript') instanceof Blob ? path : ''
        return Response.json(saved)
      }
      await unblockUploads(db, 7, state.now)
      await until(id, (job) => (state.now += 400_000) > 0 && isIn('done')(job))
      expect([finalized.length, sent]).toEqual([1, '/api/teachings/1/transcript'])
      expect(texts(state.asked)).toHaveLength(2)
    })

    const saved = {
      version: 1,
      state: 'draft',
      source: 'person',
      language: '',
      savedBy: 'Ruth',
      savedAt: '2026-11-22T00:00:00.000Z',
      sentences: [{ start: null, end: null, about: false, voice: '', text: 'Grace to you.' }],
    }
  })

  test.each([408, 423, 429, 500, 502, 503, 507])('retries after a %i without end', async (status) => {
    const { state, add, start, until } = await setting(1_000)
    let failures = 0
    state.ask = () => ((failures += 1) <= 12 ? new Response('<html>', { status }) : undefined)
    const id = await add()
    start()
    await until(id, (job) => (state.now += 400_000) > 0 && job?.state === 'done')
    expect(failures).toBeGreaterThan(12)
  })

  test('sends smaller requests through a strict proxy', async () => {
    const { state, add, start, until, isIn } = await setting(2_500_000)
    const sizes: number[] = []
    const limit = 400_000
    state.ask = ({ method, init }) => {
      if (method !== 'PATCH') return undefined
      const { length } = init.body as Uint8Array
      sizes.push(length)
      const page = '<html><head><title>413 Request Entity Too Large</title></head></html>'
      return length > limit ? new Response(page, { status: 413 }) : undefined
    }
    const first = await add()
    start()
    await until(first, isIn('done'))
    expect(sizes.filter((size) => size > limit).length).toBeGreaterThan(0)
    const refused = sizes.filter((size) => size > limit).length
    const second = await add()
    await until(second, isIn('done'))
    expect(sizes.filter((size) => size > limit)).toHaveLength(refused)
    // The row is written first, then the event is sent.
    await vi.waitFor(() => expect(state.events.map(({ kind }) => kind)).toEqual(['done', 'done']))
  })

  test('backs off if a proxy refuses every size', async () => {
    const { state, add, start, until } = await setting(2_500_000)
    let refused = 0
    state.ask = ({ method }) => {
      if (method !== 'PATCH') return undefined
      refused += 1
      return new Response('<html>', { status: 413 })
    }
    const id = await add()
    start()
    expect(await until(id, (job) => job!.attempts > 0)).toMatchObject({ state: 'queued', acknowledged: 0 })
    expect(refused).toBe(1)
    state.ask = () => undefined
    await until(id, (job) => (state.now += 400_000) > 0 && job?.state === 'done')
  })

  test.each(['{}', '{"status":"ok"}', '"ok"', '{"success":true}'])(
    'given finalize answered 200 %s, keeps the bytes and retries',
    async (body) => {
      const { db, state, add, start, until, isIn } = await setting(1_000, ({ path }) =>
        path.endsWith('/finalize') ? new Response(body) : undefined,
      )
      const id = await add()
      start()
      await until(id, (job) => job!.attempts > 0)
      expect([await db.chunks.count(), state.events]).toEqual([1, []])
      state.ask = () => undefined
      await until(id, (job) => (state.now += 400_000) > 0 && isIn('done')(job))
    },
  )

  test('finalize about another teaching is retried', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000, ({ path }) =>
      path.endsWith('/finalize') ? Response.json({ success: true, teaching: aTeaching() }) : undefined,
    )
    const id = await add()
    start()
    await until(id, (job) => job!.attempts > 0)
    expect([await db.chunks.count(), state.events]).toEqual([1, []])
    state.ask = () => undefined
    await until(id, (job) => (state.now += 400_000) > 0 && isIn('done')(job))
  })

  test('retries after the page of a captive portal', async () => {
    const { state, add, start, until } = await setting(1_000)
    let pages = 0
    state.ask = () =>
      (pages += 1) <= 6
        ? new Response('<html>Sign in to the hotel', { status: [200, 400, 403][pages % 3]! })
        : undefined
    const id = await add()
    start()
    await until(id, (job) => (state.now += 400_000) > 0 && job?.state === 'done')
  })

  test('given a browser without AbortSignal.any, finalizes an upload', async () => {
    const any = Object.getOwnPropertyDescriptor(AbortSignal, 'any')!
    stop.push(() => Object.defineProperty(AbortSignal, 'any', any))
    // As Safari before 17.4, Chrome before 116 and Firefox before 124.
    Reflect.deleteProperty(AbortSignal, 'any')
    const { add, start, until, isIn } = await setting(1_000)
    const id = await add()
    start()
    await until(id, isIn('done'))
  })

  test.each(['POST', 'PATCH', 'finalize'])('backs off after a silent %s', async (where) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    stop.push(() => vi.useRealTimers())
    const { db, state, add, start, until } = await setting(1_000)
    let isAsked = false
    state.ask = ({ method, path }) => {
      if (where === 'finalize' ? !path.endsWith('/finalize') : method !== where || path.endsWith('/finalize'))
        return undefined
      isAsked = true
      // Not even the abort ends it.
      return new Promise<Response>(() => {})
    }
    const id = await add()
    start()
    await vi.waitUntil(() => isAsked)
    await vi.advanceTimersByTimeAsync(stallMs)
    expect(await until(id, (job) => job!.attempts === 1)).toMatchObject({
      state: 'queued',
      lastError: { code: 'network' },
    })
    expect(await db.chunks.count()).toBe(1)
  })

  test.each([
    [410, 'upload_damaged', uploadQueueTexts.damagedEachTime],
    [404, 'not_found', uploadQueueTexts.goneEachTime],
  ])('finalize %i %s sends the file three times', async (status, code, sentence) => {
    const { db, state, add, start, until, isIn, uploads } = await setting(1_000)
    state.ask = ({ path }) => {
      if (!path.endsWith('/finalize')) return undefined
      uploads.clear()
      return problem(status, code)
    }
    const id = await add()
    start()
    const job = await until(id, (now) => (state.now += 400_000) > 0 && isIn('rejected')(now))
    expect(job.lastError).toEqual({ code, sentence })
    expect(state.asked.filter((line) => line.startsWith('PATCH'))).toHaveLength(3)
    expect(await db.chunks.count()).toBe(1)

    state.ask = () => undefined
    await retryUpload(db, id, {}, state.now)
    await until(id, isIn('done'))
  })

  /** How a server loses the bytes that it was sent. `isLast`: with these bytes it would be whole. */
  type TakeBack = (request: {
    method: string
    path: string
    uploads: Map<string, number>
    isLast: boolean
  }) => Answer | undefined
  const losing =
    (answer: () => Answer): TakeBack =>
    ({ uploads, isLast }) => {
      if (!isLast) return undefined
      uploads.clear()
      return answer()
    }

  describe('given a server that loses each time what it took, sends the file three times at most', () => {
    test.each<[string, TakeBack]>([
      ['PATCH answered 404', losing(() => problem(404, 'not_found'))],
      ['PATCH answered 410', losing(() => problem(410, 'upload_gone'))],
      ['PATCH answered 404 without a body', losing(() => new Response(null, { status: 404 }))],
      ['no answer to PATCH, HEAD answered 404', losing(() => 'no line')],
      [
        'the first PATCH answered 404',
        ({ method }) => (method === 'PATCH' ? problem(404, 'not_found') : undefined),
      ],
      [
        'PATCH answered 409, and the offset goes back to 0',
        ({ uploads, isLast }) => {
          if (!isLast) return undefined
          for (const id of uploads.keys()) uploads.set(id, 0)
          return problem(409, 'upload_offset')
        },
      ],
      [
        'PATCH answered 409, and the offset is the one that was sent',
        ({ method }) => (method === 'PATCH' ? problem(409, 'upload_offset') : undefined),
      ],
      [
        'PATCH answered 204 without progress',
        ({ method }) =>
          method === 'PATCH'
            ? new Response(null, { status: 204, headers: { 'upload-offset': '0' } })
            : undefined,
      ],
      [
        'PATCH answered 204 with more than the file has',
        ({ method }) =>
          method === 'PATCH'
            ? new Response(null, { status: 204, headers: { 'upload-offset': '2500001' } })
            : undefined,
      ],
      [
        'finalize answered 409 upload_incomplete, HEAD that it is whole',
        ({ path }) => (path.endsWith('/finalize') ? problem(409, 'upload_incomplete') : undefined),
      ],
    ])('%s', async (_, takeBack) => {
      const size = 2_500_000
      const { db, state, add, start, until, isIn, uploads } = await setting(size)
      let sent = 0
      state.ask = ({ method, path, init }) => {
        const bytes = method === 'PATCH' ? (init.body as Uint8Array).length : 0
        sent += bytes
        const [kept = 0] = uploads.values()
        return takeBack({ method, path, uploads, isLast: bytes > 0 && kept + bytes === size })
      }
      const id = await add()
      start()
      // Without a bound, a server that never accepts it would get requests for ever.
      const isBounded = () => sent <= 3 * size && state.asked.length <= 30
      const job = await until(
        id,
        (now) => (state.now += 400_000) > 0 && (!isBounded() || isIn('rejected')(now)),
      )
      expect(isBounded()).toBe(true)
      expect(job.lastError).toMatchObject({ sentence: uploadQueueTexts.goneEachTime })
      expect(await db.chunks.count()).toBe(3)

      state.ask = () => undefined
      await retryUpload(db, id, {}, state.now)
      await until(id, isIn('done'))
    })
  })

  test('a foreign page for HEAD loses no bytes', async () => {
    const { state, add, start, until, isIn, uploads } = await setting(2_500_000)
    let isForeign = false
    state.ask = ({ method, path, init }) => {
      const isBegin = method === 'POST' && !path.endsWith('/finalize')
      if (isForeign) {
        // The connection is back for the next one.
        if (method === 'HEAD') isForeign = false
        return method === 'HEAD' ? new Response(null, { status: 404 }) : new Response('<html>')
      }
      if (isBegin && uploads.size > 0) return problem(409, 'upload_exists')
      const offset = Number(new Headers(init.headers).get('upload-offset'))
      if (method !== 'PATCH' || offset === 0) return undefined
      isForeign = state.asked.filter((line) => line.startsWith('HEAD')).length < 10
      return isForeign ? 'no line' : undefined
    }
    const id = await add()
    start()
    await until(id, (job) => (state.now += 400_000) > 0 && isIn('done')(job))
    expect(state.asked.filter((line) => line.startsWith('HEAD')).length).toBeGreaterThanOrEqual(10)
  })

  test('bytes sent again are no progress', async () => {
    const { state, add, start, until, uploads } = await setting(2_500_000)
    state.ask = ({ method, init }) => {
      if (method !== 'PATCH') return undefined
      // So slow that each request has a tenth.
      state.now += 10_000
      if (uploads.values().next().value! + (init.body as Uint8Array).length < 2_500_000) return undefined
      uploads.clear()
      return 'no line'
    }
    const id = await add()
    start()
    for (const attempts of [1, 2]) {
      await until(id, (job) => job!.attempts === attempts && job!.state === 'queued')
      state.now += 400_000
    }
  })

  test('bytes sent for the first time end the backoff', async () => {
    const { state, add, start, until } = await setting(2_500_000)
    let parts = 0
    state.ask = ({ method }) => {
      if (method !== 'PATCH') return undefined
      // So slow that each request has a tenth.
      state.now += 10_000
      return (parts += 1) % 2 === 0 ? 'no line' : undefined
    }
    const id = await add()
    start()
    for (const failed of [2, 4]) {
      await until(id, (job) => parts === failed && job!.state === 'queued' && job!.attempts > 0)
      expect((await until(id, () => true)).attempts).toBe(1)
      state.now += 400_000
    }
  })

  test('a resumed offset is no progress', async () => {
    const { state, add, start, until, uploads } = await setting(2_500_000)
    state.ask = ({ method }) => {
      if (method !== 'PATCH') return undefined
      state.now += 10_000
      return uploads.values().next().value === 0 ? undefined : 'no line'
    }
    const id = await add()
    const began = state.now
    start()
    const first = await until(id, (job) => job!.attempts === 1)
    expect([first.acknowledged > 0, first.movedAt]).toEqual([true, began + 10_000])
    state.now += 100_000
    expect((await until(id, (job) => job!.attempts === 2)).movedAt).toBe(first.movedAt)
  })

  test('a cancelled upload gets another id', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000, ({ method, path }) =>
      method === 'POST' && !path.endsWith('/finalize') ? problem(410, 'upload_gone') : undefined,
    )
    const id = await add()
    start()
    const job = await until(id, isIn('rejected'))
    expect(job.lastError).toEqual({ code: 'upload_gone', sentence: 'Because of upload_gone' })
    expect(await db.chunks.count()).toBe(1)
    const refused = job.uploadId

    state.ask = () => undefined
    await retryUpload(db, id, {}, state.now)
    expect((await until(id, isIn('done'))).uploadId).not.toBe(refused)
  })

  test('a lost upload makes at most 12 requests a minute', async () => {
    const { state, add, start, until } = await setting(1_000, ({ method, path }) =>
      method === 'POST' && !path.endsWith('/finalize')
        ? problem(409, 'upload_exists')
        : method === 'HEAD'
          ? new Response(null, { status: 404 })
          : problem(404, 'not_found'),
    )
    const id = await add()
    start()
    await until(id, (job) => (state.now += 1_000) > 60_000 && job!.attempts > 2)
    const minutes = state.now / 60_000
    // The token's request counts too.
    expect(state.asked.length).toBeLessThanOrEqual(12 * Math.ceil(minutes))
  })

  test('waits as long as Retry-After', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000, () =>
      Response.json({ code: 'x' }, { status: 429, headers: { 'retry-after': '600' } }),
    )
    const id = await add()
    start()
    const { notBefore } = await until(id, (job) => job!.attempts === 1)
    expect(notBefore).toBe(state.now + 600_000)
    await retryUploadsNow(db, 'network')
    expect(await db.jobs.get(id)).toMatchObject({ notBefore })
    state.ask = () => undefined
    await retryUploadsNow(db, 'asked')
    await until(id, isIn('done'))
  })

  test('sends no job of another user', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000)
    const id = await add()
    await db.jobs.update(id, { ownerUserId: null })
    state.user = 8
    start()
    await delay(60)
    expect(state.asked).toEqual([])
    await db.jobs.update(id, { ownerUserId: 7 })
    await delay(60)
    expect([state.asked, await readUploads(db, 8)]).toEqual([[], []])
    state.user = 7
    await unblockUploads(db, 7, state.now)
    await until(id, isIn('done'))
  })

  test('an upload continues at the next sign-in', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000)
    let answer: (response: Response) => void = () => {}
    state.ask = ({ method, init }) =>
      method === 'PATCH'
        ? new Promise<Response>((resolve, reject) => {
            answer = resolve
            init.signal!.addEventListener('abort', () => reject(new DOMException('left', 'AbortError')))
          })
        : undefined
    const id = await add()
    const queue = start()
    await vi.waitUntil(() => state.asked.some((line) => line.startsWith('PATCH')))
    state.user = undefined
    queue.userChanged()
    // A proxy that collects the bytes hands them on when the session is over.
    answer(problem(401, 'unauthorized'))
    await delay(200)
    expect([state.events, (await db.jobs.get(id))?.state]).toEqual([[], 'uploading'])
    state.ask = () => undefined
    state.user = 7
    queue.userChanged()
    await until(id, isIn('done'))
  })

  test('stops between requests when another person signs in', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000)
    const id = await add()
    const theirs = await add()
    await db.jobs.update(theirs, { ownerUserId: 8 })
    state.ask = () => {
      state.user = 8
      return undefined
    }
    start()
    // One job is sent at a time: theirs follows the end of the first.
    await until(theirs, isIn('done'))
    expect(await db.jobs.get(id)).toMatchObject({ state: 'creating', phase: 'new' })
  })

  test('evicted bytes require the file again', async () => {
    const { db, add, start, until, isIn } = await setting(2_500_000)
    const id = await add()
    await db.chunks.delete([id, 1])
    start()
    expect(await until(id, isIn('lost'))).toMatchObject({ lastError: { code: 'evicted' } })
  })
})

test('older rows do not abort the running job', async () => {
  const { db, add, start, state, until } = await setting()
  const read = db.jobs.toArray.bind(db.jobs)
  vi.spyOn(db.jobs, 'toArray').mockImplementation(() =>
    read().then((rows) => rows.map((row) => ({ ...row, state: 'copying' as const }))),
  )
  const id = await add()
  start()
  await until(id, (job) => job?.state === 'done')
  // Stopped, it would have asked how far it came.
  expect(state.asked.filter((line) => line.startsWith('HEAD'))).toEqual([])
})

test('survives a database that iOS closed', async () => {
  const { db, add, start, until, isIn } = await setting(1_000)
  const id = await add()
  const lost = () => {
    throw new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  }
  // The search for interrupted copies, and then the queue itself.
  vi.spyOn(db.jobs, 'filter').mockImplementationOnce(lost).mockImplementationOnce(lost)
  start()
  await until(id, isIn('done'))
})

test('a queue that stops aborts its request', async () => {
  const { state, add, start } = await setting(1_000)
  const signals: AbortSignal[] = []
  state.ask = ({ method, init }) => {
    if (method !== 'PATCH') return undefined
    signals.push(init.signal!)
    return new Promise<Response>(() => {})
  }
  await add()
  const queue = start()
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([false]))
  queue.stop()
  await vi.waitFor(() => expect(signals[0]!.aborted).toBe(true))
})

test('a pause during a database failure aborts', async () => {
  const { db, state, add, start, until, isIn } = await setting(1_000)
  const patience = 20_000
  let isStopped = false
  state.ask = ({ method, init }) =>
    method === 'PATCH'
      ? new Promise<Response>((_, reject) =>
          init.signal!.addEventListener('abort', () => {
            isStopped = true
            reject(new Error('over'))
          }),
        )
      : undefined
  const id = await add()
  start()
  await vi.waitUntil(() => state.asked.some((line) => line.startsWith('PATCH')), patience)
  await pauseUpload(db, id)
  vi.spyOn(db.jobs, 'get').mockRejectedValueOnce(new DOMException('Connection lost', 'UnknownError'))
  await vi.waitUntil(() => isStopped, patience)
  state.ask = () => undefined
  await resumeUpload(db, id, state.now)
  await until(id, isIn('done'))
})

test('a replacement names its teaching by uid', async () => {
  const uid = aTeaching().uid
  const { add, start, until, isIn, finalized } = await setting(1_000)
  const id = await add(1_000, { teachingId: 1, baseRev: 9, uid })
  start()
  await until(id, isIn('done'))
  expect(finalized).toMatchObject([{ teachingId: 1, baseRev: 9, uid }])
})

test('rejects a replacement for a deleted teaching', async () => {
  const { state, add, start, until, isIn } = await setting(1_000)
  const sentence = 'This teaching was deleted.'
  let isFirst = true
  state.ask = ({ path }) => {
    if (!path.endsWith('/finalize') || !isFirst) return undefined
    isFirst = false
    return problem(404, 'not_found', { error: sentence })
  }
  const id = await add(1_000, { teachingId: 3, baseRev: 9 })
  const other = await add()
  start()
  await until(other, isIn('done'))
  expect(await until(id, isIn('rejected'))).toMatchObject({ lastError: { sentence } })
  expect(state.asked.filter((line) => line === 'POST /api/uploads')).toHaveLength(2)
})

describe('a recording whose end is missing', () => {
  const sentence = 'This recording is cut off.'
  /** The server refuses it until a person's answer comes; the bodies of the requests to finalize it. */
  async function refused(replace?: UploadJob['replace']) {
    const given = await setting(1_000)
    const { state, add, start, until, isIn } = given
    const bodies: object[] = []
    state.ask = ({ path, init }) => {
      if (!path.endsWith('/finalize')) return undefined
      const body = JSON.parse(init.body as string) as { acceptCutOff?: boolean }
      bodies.push(body)
      const extra = { error: sentence, present: '0:36', whole: '1:12' }
      return body.acceptCutOff ? undefined : problem(422, 'cut_off', extra)
    }
    const id = await add(1_000, replace)
    const queue = start()
    const job = await until(id, isIn('rejected'))
    return { ...given, id, queue, job, bodies }
  }

  test('keeps its bytes and is never sent again unasked', async () => {
    const { db, state, add, start, until, isIn, id, queue, job, bodies } = await refused()
    expect(job.lastError).toEqual({ code: 'cut_off', sentence, present: '0:36' })
    queue.stop()
    state.now += 24 * 60 * 60_000
    start().retryNow()
    await retryUploadsNow(db, 'asked')
    state.ask = () => undefined
    await until(await add(), isIn('done'))
    expect(bodies).toHaveLength(1)
    expect((await db.jobs.get(id))!.state).toBe('rejected')
    expect(await db.chunks.count()).toBe(1)
  })

  test.each([
    ['a new recording', undefined],
    ['a replacement', { teachingId: 1, baseRev: 9, uid: aTeaching().uid }],
  ])('%s is published by one answer, without its bytes again', async (_, replace) => {
    const { db, state, until, isIn, id, bodies } = await refused(replace)
    const before = state.asked.length
    await retryUpload(db, id, { acceptCutOff: true }, state.now)
    await until(id, isIn('done'))
    const words = { ...wordsIn(fields), ...replace }
    expect(bodies).toEqual([words, { ...words, acceptCutOff: true }].map(asking))
    expect(state.asked.slice(before)).toEqual(['HEAD /api/uploads/x', 'POST /api/uploads/x/finalize'])
  })

  test('the answer survives a reload and lost bytes', async () => {
    const { db, state, start, until, isIn, id, queue, bodies, uploads } = await refused()
    queue.stop()
    uploads.clear()
    await retryUpload(db, id, { acceptCutOff: true }, state.now)
    const before = state.asked.length
    start()
    await until(id, isIn('done'))
    expect(bodies.slice(1)).toEqual([asking({ ...wordsIn(fields), acceptCutOff: true })])
    expect(state.asked.slice(before).map((line) => line.split(' ')[0])).toEqual([
      'HEAD',
      'POST',
      'PATCH',
      'POST',
    ])
  })

  test('another file takes its place without that answer', async () => {
    const { db, state, until, isIn, id, bodies } = await refused()
    const copying = {
      hold: <T>(_: string, work: () => Promise<T>) => work(),
      yieldToMain: () => Promise.resolve(),
    }
    const whole = new File([new Uint8Array(randomBytes(2_000))], 'whole.mp3')
    const other = (await chooseAgain(db, id, whole, state.now, copying))!
    expect(await until(other, isIn('rejected'))).toMatchObject({ filename: 'whole.mp3', fields })
    await until(id, (job) => job === undefined)
    expect(bodies.at(-1)).toEqual(asking(wordsIn(fields)))
    expect(state.asked).toContain('DELETE /api/uploads/x')
  })
})

describe('resuming', () => {
  test.each<[string, Ask, string[]]>([
    [
      'begun before, its answer lost',
      ({ method, path }) =>
        method === 'POST' && !path.endsWith('/finalize') ? problem(409, 'upload_exists') : undefined,
      ['POST', 'HEAD'],
    ],
    [
      'it stands at another byte',
      ({ method }) => (method === 'PATCH' ? problem(409, 'upload_offset') : undefined),
      ['POST', 'PATCH', 'HEAD'],
    ],
  ])('%s: it is asked how far it came', async (_, once, first) => {
    const { state, add, start, until, isIn, uploads, db } = await setting(1_000)
    let isUsed = false
    const id = await add()
    uploads.set((await db.jobs.get(id))!.uploadId, 0)
    state.ask = (request) => {
      const answer = isUsed ? undefined : once(request)
      isUsed ||= answer !== undefined
      return answer
    }
    start()
    await until(id, isIn('done'))
    expect(state.asked.slice(0, first.length).map((line) => line.split(' ')[0])).toEqual(first)
  })

  test.each([404, 410])('%i: begins again with all bytes', async (status) => {
    const { state, add, start, until, isIn } = await setting(2_500_000)
    let patches = 0
    state.ask = ({ method }) =>
      method === 'PATCH' && (patches += 1) === 2 ? new Response(null, { status }) : undefined
    const id = await add()
    start()
    await until(id, isIn('done'))
    expect(state.asked.filter((line) => line === 'POST /api/uploads')).toHaveLength(2)
  })

  test('the next page asks for the offset first', async () => {
    const { state, add, start, until, isIn } = await setting(2_500_000)
    let hang = true
    state.ask = ({ method, init }) =>
      hang && method === 'PATCH'
        ? new Promise<Response>((_, reject) =>
            init.signal!.addEventListener('abort', () => reject(new Error('over'))),
          )
        : undefined
    const id = await add()
    const first = start()
    for (let tries = 0; !state.asked.some((line) => line.startsWith('PATCH')) && tries < 100; tries += 1)
      await delay(10)
    first.stop()
    hang = false
    const before = state.asked.length
    start()
    await until(id, isIn('done'))
    expect(state.asked[before]).toBe('HEAD /api/uploads/x')
  })
})

describe('a person', () => {
  test('pauses and resumes a job; meanwhile others are sent', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000)
    const id = await add()
    const other = await add()
    await pauseUpload(db, id)
    start()
    await until(other, isIn('done'))
    expect((await db.jobs.get(id))!.state).toBe('queued')
    await resumeUpload(db, id, state.now)
    await until(id, isIn('done'))
  })

  test('a cancellation ends a request, and is sent before the job goes', async () => {
    const { db, state, add, start, until } = await setting(2_500_000)
    let isEnded = false
    state.ask = ({ method, init }) =>
      method === 'PATCH'
        ? new Promise<Response>((_, reject) =>
            init.signal!.addEventListener('abort', () => {
              isEnded = true
              reject(new Error('over'))
            }),
          )
        : undefined
    const id = await add()
    start()
    await vi.waitFor(() => expect(state.asked.some((line) => line.startsWith('PATCH'))).toBe(true))
    let isTaken = false
    state.ask = ({ method }) => {
      if (method !== 'DELETE' || isTaken) return undefined
      isTaken = true
      return 'no line'
    }
    await cancelUpload(db, id)
    expect(await readUploads(db, 7)).toEqual([])
    // Without the cancellation it would end after thirty seconds.
    await vi.waitFor(() => expect(isEnded).toBe(true), { timeout: 20_000 })
    await until(id, (job) => (state.now += 400_000) > 0 && job === undefined)
    expect(await db.chunks.count()).toBe(0)
    expect(state.asked.filter((line) => line.startsWith('DELETE'))).toHaveLength(2)
  })

  test.each<[string, Ask]>([
    ['as it was beginning', ({ method }) => (method === 'POST' ? 'no line' : undefined)],
    ['as it had arrived', ({ path }) => (path.endsWith('/finalize') ? 'no line' : undefined)],
  ])('cancels on the server an upload that failed %s', async (_, lose) => {
    const { db, state, add, start, until } = await setting(1_000, lose)
    const id = await add()
    start()
    await until(id, (job) => job!.attempts > 0)
    await pauseUpload(db, id)
    await cancelUpload(db, id)
    await until(id, (job) => job === undefined)
    expect(await db.chunks.count()).toBe(0)
    expect(state.asked.filter((line) => line.startsWith('DELETE'))).toHaveLength(1)
  })

  test('cancels too late: the job is done', async () => {
    const { db, state, add, start, until, isIn } = await setting(1_000)
    const id = await add()
    await db.jobs.update(id, { phase: 'arrived' })
    state.ask = ({ method }) => (method === 'DELETE' ? problem(409, 'upload_finished') : undefined)
    await cancelUpload(db, id)
    start()
    await until(id, isIn('done'))
    await vi.waitFor(() => expect(state.events).toHaveLength(1))
    expect(state.events).toMatchObject([{ kind: 'done', job: { teaching: { uid: id } } }])
  })

  test('corrects fields until they are sent', async () => {
    const { db, add, start, until, isIn, finalized } = await setting(1_000)
    const id = await add()
    expect(await correctUpload(db, id, { ...fields, title: 'Faith' })).toBe(true)
    start()
    await until(id, isIn('done'))
    expect(finalized).toMatchObject([{ title: 'Faith' }])
    expect(await correctUpload(db, id, fields)).toBe(false)
  })

  test('cannot correct fields after a lost answer to finalizing', async () => {
    let isLost = false
    const { db, state, add, start, until, isIn, finalized } = await setting(1_000, ({ path }) => {
      if (!path.endsWith('/finalize') || isLost) return undefined
      isLost = true
      return 'no line'
    })
    const id = await add()
    start()
    await until(id, (job) => job!.attempts > 0)
    expect(await correctUpload(db, id, { ...fields, title: 'Faith' })).toBe(false)
    state.now += 1_000_000
    await until(id, isIn('done'))
    expect(finalized).toMatchObject([{ title: 'Hope' }])
  })

  test('reports five minutes without progress once', async () => {
    const { state, add, start, until } = await setting(1_000, () => 'no line')
    const id = await add()
    start()
    await until(id, (job) => job!.attempts > 0)
    expect(state.events).toEqual([])
    state.now += uploadTimeoutMs + 1
    await until(id, (job) => job!.timeoutTold)
    await until(id, (job) => (state.now += uploadTimeoutMs) > 0 && job!.attempts > 4)
    expect(state.events.map(({ kind }) => kind)).toEqual(['timeout'])
    state.ask = () => undefined
    await until(id, (job) => (state.now += uploadTimeoutMs) > 0 && job!.state === 'done')
  })
})

test('sends one job at a time in growing requests', async () => {
  const { db, state, add, start, until, isIn } = await setting(chunkBytes * 6)
  const sizes: number[] = []
  state.ask = ({ method, init }) => {
    state.now += 1
    if (method === 'PATCH') sizes.push((init.body as Uint8Array).length / chunkBytes)
    return undefined
  }
  const id = await add()
  start()
  await until(id, isIn('done'))
  expect(sizes).toEqual([0.25, 5, 0.75])
  expect(await db.chunks.count()).toBe(0)
  let last = id
  for (let count = 0; count < 22; count += 1) last = await add(10)
  await until(last, isIn('done'))
  expect(await db.jobs.count()).toBe(20)
})
