import { CallError, NetworkError, sentenceOfError } from '../../call/call-error.ts'
import type { ProblemCode } from '@fellowship/schema/problem'

/** A request without progress for this long is aborted. The bytes that the server has received by then still count. */
export const stallMs = 30_000

export interface TimeLimit {
  /** Aborts the request. */
  signal: AbortSignal
  /** Restarts the time; call it when there is progress. */
  touch: () => void
}

/**
 * Ends a request that makes no progress for `ms`, or when one of `outer` aborts, even if the transport ignores its signal.
 * By hand, because older browsers lack `AbortSignal.any`.
 *
 * @throws NetworkError without progress, AbortError when one of `outer` aborts, and the errors of the request
 */
export async function withTimeLimit<T>(
  request: (limit: TimeLimit) => Promise<T>,
  { outer = [], ms = stallMs }: { outer?: readonly AbortSignal[]; ms?: number | undefined } = {},
): Promise<T> {
  const controller = new AbortController()
  let fail = (_error: Error) => {}
  const failed = new Promise<never>((_, reject) => (fail = reject))
  const end = (error: Error) => {
    // Before the abort: its own error would come first.
    fail(error)
    controller.abort()
  }
  const stall = () => end(new NetworkError(new Error(`No progress for ${ms} ms`)))
  const abort = () => end(new DOMException('The request was aborted.', 'AbortError'))
  let timer = setTimeout(stall, ms)
  const touch = () => {
    clearTimeout(timer)
    timer = setTimeout(stall, ms)
  }
  if (outer.some(({ aborted }) => aborted)) abort()
  for (const signal of outer) signal.addEventListener('abort', abort)
  try {
    return await Promise.race([failed, request({ signal: controller.signal, touch })])
  } finally {
    clearTimeout(timer)
    for (const signal of outer) signal.removeEventListener('abort', abort)
  }
}

/**
 * Reads a response as text; each part of it is progress.
 *
 * @throws RangeError beyond `most` bytes, of which no more are read
 */
export async function textOf(response: Response, touch: () => void, most = Infinity): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    touch()
    bytes += part.value.length
    if (bytes > most) {
      await reader!.cancel()
      throw new RangeError(`More than ${most} bytes`)
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

/** A failure as an entry stores it: the server's code, or 'network' without an answer, and the sentence for people. */
export const described = (error: unknown): { code: string; sentence: string } => ({
  code: error instanceof CallError ? (error.code ?? String(error.status)) : 'network',
  sentence: sentenceOfError(error),
})

/**
 * The meaning of a failed request for its entry. Success is not in this list: an entry is done only when the
 * body parses by the call's declared answer.
 *
 * refused: it will never be accepted as it is · needs a person: someone has to decide · sign in: the session has ended ·
 * again: later, after a backoff · begin anew: the target of the request is missing on the server, or not as expected
 */
export type Verdict = 'refused' | 'needs a person' | 'sign in' | 'again' | 'begin anew'

/** The verdict on a failure. Only our server's own errors, which have a code, refuse anything. */
export function verdictOf(error: unknown): Verdict {
  if (!(error instanceof CallError)) return 'again'
  const { code, status } = error
  if (code !== undefined) return byCode[code] ?? byStatus(status)
  // An answer to HEAD has no body. A page or JSON without our code is a proxy's or a captive portal's.
  return error.isEmpty ? (withoutBody[status] ?? 'again') : 'again'
}

const byCode: Partial<Record<ProblemCode, Verdict>> = {
  unauthorized: 'sign in',
  revision_conflict: 'needs a person',
  duplicate: 'needs a person',
  not_found: 'begin anew',
  upload_gone: 'begin anew',
  upload_damaged: 'begin anew',
  upload_exists: 'begin anew',
  upload_offset: 'begin anew',
  upload_incomplete: 'begin anew',
  csrf: 'again',
  upgrade_required: 'again',
}

const withoutBody: Partial<Record<number, Verdict>> = { 401: 'sign in', 404: 'begin anew', 410: 'begin anew' }

const byStatus = (status: number): Verdict =>
  status >= 500 || [408, 423, 425, 429].includes(status) ? 'again' : 'refused'
