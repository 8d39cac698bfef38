import type { AnswerOf, AnyEndpoint } from '@fellowship/schema/endpoint'
import type { ProblemCode } from '@fellowship/schema/problem'
import { isQuota } from '../protocol/quota.ts'

/** An error response of the server; its message is '<status>: <body text>'. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly status: number
  /** The server's stable code; undefined when a proxy answered instead. */
  readonly code: ProblemCode | undefined
  /** The message to display. */
  readonly sentence: string
  /** The parsed JSON body; some codes carry further members. */
  readonly body: Readonly<Record<string, unknown>>
  /** The response had no body, as every answer to HEAD. */
  readonly isEmpty: boolean
  /** How long the server asks to wait before another try, in milliseconds; 0 if it names no time. */
  readonly retryAfterMs: number

  constructor(status: number, text: string, response?: Pick<Response, 'statusText' | 'headers'>) {
    const shown = text || (response?.statusText ?? '')
    super(`${status}: ${shown}`)
    this.status = status
    this.isEmpty = text === ''
    this.body = parse(text)
    const { code, success } = this.body
    // Proxies send JSON too, some of it with a code of their own.
    this.code = success === false && typeof code === 'string' ? (code as ProblemCode) : undefined
    this.sentence = sentenceOf(this.body, text)
    this.retryAfterMs = retryAfterMs(this.body['retryAfter'] ?? response?.headers.get('retry-after'))
  }
}

const noConnection = 'No connection. Check your signal and try again.'

/** No usable response: offline, server unreachable, or the response was cut off. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly sentence: string = noConnection

  constructor(cause: unknown) {
    super('No answer from the server', { cause })
  }
}

/** Not sent: this device made too many requests in the last minute. Its own wait, so no failure of the network. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
  /** When the next one may be sent, epoch milliseconds. */
  readonly at: number
  /**
   * What became of this entry's own requests, if they are the many ones: none had any answer, or all failed otherwise. Undefined
   * if others used up the requests.
   */
  readonly own: 'unanswered' | 'failed' | undefined

  constructor(at: number, own?: 'unanswered' | 'failed') {
    super(
      own === 'unanswered'
        ? noConnection
        : 'This device asked too often in the last minute. Try again in a minute.',
    )
    this.at = at
    this.own = own
  }
}

/** The error of a request without a usable response: a network failure, unless this device did not send it. */
export const networkErrorOf = (error: unknown): NetworkError | TooManyRequests =>
  error instanceof NetworkError || error instanceof TooManyRequests ? error : new NetworkError(error)

/**
 * Parses a successful response by the call's declared answer. Anything else, such as a captive portal's page or a
 * proxy's JSON, did not come from our server and counts as a network failure.
 *
 * @returns the JSON as it came, with members that this build does not know
 * @throws NetworkError
 */
export function parseAnswer<E extends AnyEndpoint>({ answer }: E, text: string): AnswerOf<E> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new NetworkError(error)
  }
  const { error } = answer.safeParse(json)
  if (error) throw new NetworkError(error)
  return json as AnswerOf<E>
}

/** Returns the sentence to display for any error. */
export function sentenceOfError(error: unknown): string {
  if (error instanceof CallError || error instanceof NetworkError) return error.sentence
  if (isQuota(error)) return 'This device is full. Free some space on it and try again.'
  return error instanceof Error ? error.message : String(error)
}

/** Retry-After is a number of seconds or a date. */
function retryAfterMs(retryAfter: unknown): number {
  const seconds = Number(retryAfter ?? 0)
  const ms = Number.isNaN(seconds) ? Date.parse(String(retryAfter)) - Date.now() : seconds * 1000
  return ms > 0 ? ms : 0
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function sentenceOf(body: Record<string, unknown>, text: string): string {
  for (const member of ['error', 'message']) {
    const value = body[member]
    if (typeof value === 'string' && value !== '') return value
  }
  // Nothing, HTML, JSON without our members or a long text is a proxy's answer, not a sentence.
  return text === '' || /^\s*[<{[]/.test(text) || text.length > 300
    ? 'The server did not answer as expected. Try again.'
    : text
}
