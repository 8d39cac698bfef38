import { audioKeyOf } from './audio-address.ts'

/** The server, or the address, has no such bytes: asking again is in vain. */
export class RangeRefused extends Error {
  override readonly name = 'RangeRefused'
  readonly status: number
  constructor(status: number) {
    super(`Refused: ${status}`)
    this.status = status
  }
}

/** No answer from the server. */
class NoSignal extends Error {
  override readonly name = 'NoSignal'
}

export interface RangeRequest {
  /** '/audio/<key>.<ext>' */
  url: string
  key: string
  start: number
  /** Inclusive. */
  end: number
  /** Expected; undefined if it is not known yet. */
  size: number | undefined
  signal: AbortSignal
  /** Whether it waits for the signal from the first request on; otherwise only once a byte has arrived. */
  isPatient: boolean
  onHead?: (head: RangeHead) => void
  /** Whether sound begins with these few bytes: the browser's cache may keep them for the next time. */
  isOpening?: boolean
  /** Called with the bytes, in order. */
  onBytes: (bytes: Uint8Array) => void
}

export interface RangeHead {
  size: number
  type: string
}

export interface RangeDeps {
  fetch: (url: string, init: RequestInit & { priority?: 'high' }) => Promise<Response>
  timings?: Timings
  /** Calls `wake` when the device has a network again; returns the way to stop. */
  onNetwork?: (wake: () => void) => () => void
}

/** Milliseconds. */
interface Timings {
  /** Without a byte for this long, another request is made beside the silent one. */
  firstSilence: number
  /** After that, another one this often: the first byte comes soon after the signal. */
  silence: number
  /** Before the next request after the server was not reached. */
  retry: number
  /** The same after it answered that it is busy, or with other bytes. */
  busy: number
}

const usual: Timings = { firstSilence: 4_000, silence: 1_000, retry: 1_000, busy: 5_000 }

/**
 * Requests that are under way at once: a browser has six connections to a host by HTTP/1.1, of which the event streams of
 * two tabs take two.
 */
const width = 3

/**
 * Fetches a range of a recording, across as many dead spots as there are: requests follow each other until all bytes are
 * here. A request that went silent may never answer, even when the signal is back, so others run beside it; the first to
 * bring a byte wins.
 *
 * @throws RangeRefused, NoSignal (only if it is not patient), AbortError
 */
export async function fetchSteadily(request: RangeRequest, deps: RangeDeps): Promise<void> {
  let at = request.start
  let last = request.end
  const onHead = (head: RangeHead) => {
    last = Math.min(last, head.size - 1)
    request.onHead?.(head)
  }
  /** Returns whether there is more. */
  const take = (bytes: Uint8Array) => {
    if (at + bytes.length > last + 1) throw new RangeRefused(502)
    at += bytes.length
    request.onBytes(bytes)
    return at <= last
  }
  for (let isFirst = true; at <= last; isFirst = false) {
    const isWaiting = request.isPatient || at > request.start
    const answer = await firstToAnswer({ ...request, start: at, end: last, onHead }, deps, {
      isWaiting,
      isFirst,
    })
    try {
      if (take(answer.first)) await readAll(answer, take, deps)
    } catch (error) {
      if (request.signal.aborted || error instanceof RangeRefused) throw error
    } finally {
      answer.abort()
    }
  }
}

interface Answer {
  first: Uint8Array
  read: () => Promise<Uint8Array | undefined>
  abort: () => void
}

/** Reads until the end, or until no byte comes for a while. */
async function readAll(
  { read }: Answer,
  take: (bytes: Uint8Array) => boolean,
  { timings = usual }: RangeDeps,
): Promise<void> {
  for (;;) {
    const silence = timer(timings.firstSilence)
    const bytes = await Promise.race([read(), silence.over]).finally(silence.stop)
    if (!bytes || !take(bytes)) return
  }
}

function timer(ms: number): { over: Promise<undefined>; stop: () => void } {
  let id: ReturnType<typeof setTimeout>
  const over = new Promise<undefined>((resolve) => (id = setTimeout(() => resolve(undefined), ms)))
  return { over, stop: () => clearTimeout(id) }
}

type Lost = { lost: 'unreached' | 'busy' | 'unusable' }
type Outcome = { answer: Answer } | Lost | { refused: RangeRefused }

/** Makes requests until one answers; with `isWaiting`, for as long as it takes. */
async function firstToAnswer(
  request: RangeRequest,
  deps: RangeDeps,
  { isWaiting, isFirst }: { isWaiting: boolean; isFirst: boolean },
): Promise<Answer> {
  const { timings = usual } = deps
  const running = new Map<AbortController, Promise<readonly [AbortController, Outcome]>>()
  let cancel = () => {}
  const cancelled = new Promise<undefined>((resolve) => (cancel = () => resolve(undefined)))
  request.signal.addEventListener('abort', cancel)
  let wake = () => {}
  const stopListening = deps.onNetwork?.(() => wake())
  try {
    for (let count = 0; ; count += 1) {
      const isBack = new Promise<undefined>((resolve) => (wake = () => resolve(undefined)))
      if (request.signal.aborted) throw new DOMException('The player needs it no more.', 'AbortError')
      const controller = new AbortController()
      const isOpening = isFirst && count === 0
      running.set(
        controller,
        attempt(request, deps, controller, isOpening).then((outcome) => [controller, outcome] as const),
      )
      const [oldest] = running.keys()
      if (running.size > width) {
        running.delete(oldest!)
        oldest!.abort()
      }
      const silence = timer(isOpening ? timings.firstSilence : timings.silence)
      const first = await Promise.race([...running.values(), cancelled, isBack, silence.over]).finally(
        silence.stop,
      )
      if (!first) continue
      const [of, outcome] = first
      running.delete(of)
      if ('answer' in outcome) return outcome.answer
      if ('refused' in outcome) throw outcome.refused
      // A bucket may hide the range of its answer: the second address is that of the server itself.
      if (isOpening && outcome.lost === 'unusable') continue
      if (!isWaiting) throw new NoSignal('No answer from the server.')
      const wait = timer(outcome.lost === 'unreached' ? timings.retry : timings.busy)
      await Promise.race([cancelled, isBack, wait.over]).finally(wait.stop)
    }
  } finally {
    request.signal.removeEventListener('abort', cancel)
    stopListening?.()
    for (const controller of running.keys()) controller.abort()
  }
}

/** Never rejects. */
async function attempt(
  request: RangeRequest,
  deps: RangeDeps,
  controller: AbortController,
  isOpening: boolean,
): Promise<Outcome> {
  const { url, key, start, end, signal } = request
  const abort = () => controller.abort()
  const stop = () => {
    signal.removeEventListener('abort', abort)
    abort()
  }
  signal.addEventListener('abort', abort)
  try {
    const response = await deps.fetch(isOpening ? url : `${url}?resume=1`, {
      headers: { range: `bytes=${start}-${end}`, ...(!isOpening && { 'if-range': `"${key}"` }) },
      signal: controller.signal,
      priority: 'high',
      // A second copy in the browser's HTTP cache would halve the room.
      ...(!request.isOpening && { cache: 'no-store' }),
    })
    const head = headOf(response, request, isOpening)
    if ('size' in head) {
      const reader = response.body!.getReader()
      const read = () => reader.read().then(({ value }) => value)
      const first = await read()
      if (first) {
        request.onHead?.(head)
        return { answer: { first, read, abort: stop } }
      }
    }
    stop()
    return 'size' in head ? { lost: 'unreached' } : head
  } catch {
    stop()
    return { lost: 'unreached' }
  }
}

function headOf(
  response: Response,
  { key, start, end, size }: RangeRequest,
  isOpening: boolean,
): RangeHead | Lost | { refused: RangeRefused } {
  const { status, headers } = response
  const movedTo = response.redirected ? audioKeyOf(new URL(response.url).pathname) : undefined
  // The second address may still have the rest of a recording that has begun.
  if (movedTo !== undefined && movedTo !== key)
    return isOpening && start > 0 ? { lost: 'unusable' } : { refused: new RangeRefused(410) }
  if (status === 429 || status >= 500) return { lost: 'busy' }
  const type = headers.get('content-type') ?? ''
  // A page in the place of the recording comes from a captive portal or a proxy.
  if (/\bhtml\b/.test(type)) return { lost: 'unreached' }
  if (status >= 400) return { refused: new RangeRefused(status) }
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '')
  const [from, to, total] = (range?.slice(1).map(Number) ?? []) as [number?, number?, number?]
  const tag = headers.get('etag')
  const isOurs = tag === null || tag === `"${key}"` || response.redirected
  const isWhole = from === start && total !== undefined && to === Math.min(end, total - 1)
  if (status !== 206 || !isOurs || !isWhole || (size !== undefined && size !== total))
    return { lost: 'unusable' }
  return { size: total, type }
}
