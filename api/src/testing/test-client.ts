import { expect } from 'vitest'
import type { Transport } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'

/** A client with a cookie jar. */
export interface TestClient extends Transport {
  readonly cookies: Map<string, string>
}

/** `fetch`, or the given replacement, with a cookie jar and headers for every request. */
export function testClient(
  base: string,
  headers: Record<string, string> = {},
  send: typeof fetch = fetch,
): TestClient {
  const cookies = new Map<string, string>()
  return {
    base,
    cookies,
    async fetch(input, init) {
      const sent = new Headers(init?.headers)
      for (const [name, value] of Object.entries(headers)) sent.set(name, value)
      if (cookies.size > 0)
        sent.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
      const response = await send(input, { ...init, headers: sent, redirect: 'manual' })
      for (const line of response.headers.getSetCookie()) storeCookie(cookies, line)
      return response
    },
  }
}

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';')
  const [name = '', value = ''] = pair.split('=', 2).map((part) => part.trim())
  const over = attributes.some((attribute) => /^\s*max-age=0\s*$/i.test(attribute))
  if (over) cookies.delete(name)
  else cookies.set(name, value)
}

/** The error with which the server refuses a call; fails the test if the call succeeds or no answer came. */
export const refusal = (attempt: Promise<unknown>): Promise<CallError> =>
  attempt.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => (error instanceof CallError ? error : expect.fail(String(error))),
  )
