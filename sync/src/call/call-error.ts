import type { ProblemCode } from '@fellowship/schema/problem'
import { isQuota } from '../protocol/quota.ts'

/** An error response of the server; its message is '<status>: <body text>'. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly status: number
  /** The server's stable code; undefined when something between us and the server answered. */
  readonly code: ProblemCode | undefined
  /** What to tell a person. */
  readonly sentence: string
  /** The whole answer, for what a code brings along. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.status = status
    this.body = parse(text)
    this.code = typeof this.body['code'] === 'string' ? (this.body['code'] as ProblemCode) : undefined
    this.sentence = sentenceOf(this.body, text)
  }
}

/** No answer came: the line is down, the server is away, or the answer broke off. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly sentence = 'No connection. Check your signal and try again.'

  constructor(cause: unknown) {
    super('No answer from the server', { cause })
  }
}

/**
 * What a yes says. A page in its place is that of a portal which takes every line for its own: nobody of ours answered.
 *
 * @throws NetworkError
 */
export function parseAnswer<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new NetworkError(error)
  }
}

/** The sentence of any error, for a toast. */
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
  // A proxy's error page is not a sentence.
  return text.startsWith('<') || text.length > 300
    ? 'The server did not answer as expected. Try again.'
    : text
}
