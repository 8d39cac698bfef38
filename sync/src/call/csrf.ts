import { auth } from '@fellowship/schema/auth/auth.contract'
import { CallError, NetworkError, parseAnswer } from './call-error.ts'
import type { Transport } from './transport.ts'

/** Tokens live in memory only, one per transport: a stored one would outlive its session. */
const tokens = new WeakMap<Transport, Promise<string>>()

/** The session's CSRF token, fetched once. */
export function csrfToken(transport: Transport): Promise<string> {
  const known = tokens.get(transport)
  if (known) return known
  const fetched = fetchToken(transport)
  tokens.set(transport, fetched)
  // A failed fetch must not be remembered.
  fetched.catch(() => tokens.delete(transport))
  return fetched
}

/**
 * The session's CSRF token, unless the signal ends first. A token that did not come in time is fetched anew by the next
 * call, which would otherwise wait for the same silent request.
 *
 * @param failureOf what to throw for the signal's reason
 */
export async function csrfTokenBefore(
  transport: Transport,
  signal: AbortSignal,
  failureOf: (reason: unknown) => unknown,
): Promise<string> {
  let end = () => {}
  const aborted = new Promise<never>((_, reject) => (end = () => reject(failureOf(signal.reason) as Error)))
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  try {
    return await Promise.race([csrfToken(transport), aborted])
  } catch (error) {
    forgetCsrfToken(transport)
    throw error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** To be called after signing in or out, and when the server calls the token stale. */
export function forgetCsrfToken(transport: Transport): void {
  tokens.delete(transport)
}

async function fetchToken({ fetch, base }: Transport): Promise<string> {
  let response: Response
  let text: string
  try {
    response = await fetch(base + auth.csrfToken.path, { credentials: 'same-origin' })
    text = await response.text()
  } catch (error) {
    throw new NetworkError(error)
  }
  if (!response.ok) throw new CallError(response.status, text)
  return parseAnswer<{ csrfToken: string }>(text).csrfToken
}
