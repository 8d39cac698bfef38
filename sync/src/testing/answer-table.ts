import { problems, type ProblemCode } from '@fellowship/schema/problem'
import { afterEach, beforeEach, vi } from 'vitest'
import { stallMs } from '../client/engine/request.ts'

/** The answers of the verdict tables: every refusal of our server, those of proxies and captive portals, and a bad line. */
export type TableAnswer = () => Response | Promise<Response>

/** An error of our server, by its status and code: '409 duplicate'. */
type OwnAnswer = { [Code in ProblemCode]: `${(typeof problems)[Code]['status']} ${Code}` }[ProblemCode]

const codes = Object.fromEntries(
  Object.entries(problems).map(([code, { status }]) => [`${status} ${code}`, code]),
) as Record<OwnAnswer, ProblemCode>

const askedMs: Partial<Record<OwnAnswer | ForeignAnswer, number>> = {
  '429 of a proxy, with Retry-After': 90_000,
  '503 unavailable': 10_000,
}

/** The body names its code in the sentence, and the wait that it asks for. */
const refused = (status: number, code: string, extra: object = {}): Response =>
  Response.json({ success: false, code, error: `Because of ${code}`, ...extra }, { status })

const page = '<html>Welcome to the motel.</html>'

const foreign = {
  '200 {}': () => Response.json({}),
  '200 other JSON': () => Response.json({ status: 'ok' }),
  '200 HTML': () => new Response(page),
  '200 cut off': () => new Response('{"success":true,"teach'),
  '204 without more': () => new Response(null, { status: 204 }),
  '304 unasked': () => new Response(null, { status: 304 }),
  '302 to a page': () => new Response(null, { status: 302, headers: { location: '/login' } }),
  '400 of a proxy': () => Response.json({ code: 'bad' }, { status: 400 }),
  '401 of a proxy': () => new Response(page, { status: 401 }),
  '403 of a proxy': () => new Response(page, { status: 403 }),
  '404 of a proxy': () => new Response(page, { status: 404 }),
  '404 without more': () => new Response(null, { status: 404 }),
  '409 of a proxy': () => new Response(page, { status: 409 }),
  '410 of a proxy': () => new Response(page, { status: 410 }),
  '413 of a proxy': () => new Response(page, { status: 413 }),
  '429 of a proxy, with Retry-After': () =>
    new Response('', { status: 429, headers: { 'retry-after': '90' } }),
  '502 of a proxy': () => new Response(page, { status: 502 }),
  '503 of a proxy': () => new Response(page, { status: 503 }),
  'no answer': () => Promise.reject(new TypeError('Failed to fetch')),
  /** For ever: the time that a request may take without progress passes at once, see `hurry`. */
  hanging: () => {
    void vi.advanceTimersByTimeAsync(stallMs)
    return new Promise<never>(() => {})
  },
} satisfies Record<string, TableAnswer>

type ForeignAnswer = keyof typeof foreign

export type TableAnswerName = OwnAnswer | ForeignAnswer

const isOwn = (name: TableAnswerName): name is OwnAnswer => name in codes

export function answerAs(name: TableAnswerName): Response | Promise<Response> {
  if (!isOwn(name)) return foreign[name]()
  const retryAfter = askedMs[name]
  return refused(Number.parseInt(name), codes[name], retryAfter ? { retryAfter: retryAfter / 1000 } : {})
}

export const tableAnswerNames = [...Object.keys(codes), ...Object.keys(foreign)] as TableAnswerName[]

/** The answers by which our server rejects a request for good. */
const refusals = [
  '400 invalid_input',
  '400 malformed_json',
  '400 link_spent',
  '401 invalid_credentials',
  '403 forbidden',
  '403 cross_site',
  '403 registration_closed',
  '403 account_inactive',
  '405 method_not_allowed',
  '409 email_taken',
  '409 last_administrator',
  '409 upload_finished',
  '412 upload_protocol',
  '413 too_large',
  '415 unsupported_audio',
  '415 unsupported_media',
  '422 cut_off',
  '422 sounds_wrong',
  '421 wrong_host',
  '422 idempotency_mismatch',
] as const satisfies readonly OwnAnswer[]

/** The rows of a table for all of them. */
export const refusedAs = <Outcome>(outcome: Outcome) =>
  Object.fromEntries(refusals.map((name) => [name, outcome])) as Record<(typeof refusals)[number], Outcome>

const noConnection = 'No connection. Check your signal and try again.'
const notAsExpected = 'The server did not answer as expected. Try again.'

/** The sentence that the screen shows after an answer. */
export function sentenceAfter(name: TableAnswerName): string {
  if (isOwn(name)) return `Because of ${codes[name]}`
  return /^(?:20|no|hanging)/.test(name) ? noConnection : notAsExpected
}

/** Whether nothing that could be read came back. */
export const isWithoutAnswer = (name: TableAnswerName): boolean => sentenceAfter(name) === noConnection

/** Milliseconds until the next try: the requested wait, else the longest first backoff. */
export const waitAfter = (name: TableAnswerName): number => askedMs[name] ?? 2_000

/** In the tests of a table: nothing is waited for, as a request that hangs. */
export function hurry(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}

/** Waits with frequent looks, as many tests do. */
export const soon = (assertion: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { interval: 2, timeout: 15_000 })
