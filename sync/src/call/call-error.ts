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

  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.status = status
    this.body = parse(text)
    this.code = typeof this.body['code'] === 'string' ? (this.body['code'] as ProblemCode) : undefined
    this.sentence = sentenceOf(this.body, text)
  }
}

/** No usable response: offline, server unreachable, or the response was cut off. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly sentence = 'No connection. Check your signal and try again.'

  constructor(cause: unknown) {
    super('No answer from the server', { cause })
  }
}

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
  // HTML or a long text is a proxy's error page, not a sentence.
  return text.startsWith('<') || text.length > 300
    ? 'The server did not answer as expected. Try again.'
    : text
}
