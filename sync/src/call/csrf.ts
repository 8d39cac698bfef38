import { auth } from '@fellowship/schema/auth/auth.contract'
import { CallError, networkErrorOf, parseAnswer } from './call-error.ts'
import type { Transport } from './transport.ts'

/** One token per transport, in memory only: a stored token would outlive its session. */
const tokens = new WeakMap<Transport, Promise<string>>()
const sessionOf = (transport: Transport): Transport => transport.session ?? transport

/** Returns the session's CSRF token, fetched once and cached. */
export function csrfToken(transport: Transport): Promise<string> {
  const session = sessionOf(transport)
  const cached = tokens.get(session)
  if (cached) return cached
  const fetched = fetchToken(transport)
  tokens.set(session, fetched)
  // A failed fetch must not stay cached.
  fetched.catch(() => tokens.delete(session))
  return fetched
}

/**
 * Returns the session's CSRF token, or throws when the signal aborts first. The pending fetch is then dropped from the
 * cache, or the next call would wait for the same hanging request.
 *
 * @param failureOf maps the signal's reason to the error to throw
 */
export async function csrfTokenBefore(
  transport: Transport,
  signal: AbortSignal,
  failureOf: (reason: unknown) => unknown,
): Promise<string> {
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => (abort = () => reject(failureOf(signal.reason) as Error)))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([csrfToken(transport), aborted])
  } catch (error) {
    forgetCsrfToken(transport)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Drops the cached token; call it after signing in or out, and when the server rejects the token as stale. */
export function forgetCsrfToken(transport: Transport): void {
  tokens.delete(sessionOf(transport))
}

async function fetchToken({ fetch, base }: Transport): Promise<string> {
  let response: Response
  let text: string
  try {
    response = await fetch(base + auth.csrfToken.path, { credentials: 'same-origin' })
    text = await response.text()
  } catch (error) {
    throw networkErrorOf(error)
  }
  if (!response.ok) throw new CallError(response.status, text, response)
  return parseAnswer(auth.csrfToken, text).csrfToken
}
