import { NetworkError } from '../../call/call-error.ts'

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

/** Reads a response as text; each part of it is progress. */
export async function textOf(response: Response, touch: () => void): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    touch()
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}
