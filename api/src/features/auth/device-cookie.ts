import { randomBytes } from 'node:crypto'
import { getCookie, setCookie } from 'hono/cookie'
import type { Http } from '../../http/serve.ts'

const name = 'device'
const longest = 400 * 24 * 60 * 60

/** The id this browser was given at its first sign-in, if it has one of the right form. */
export function deviceOf(http: Http): string | undefined {
  const value = getCookie(http, name)
  return value && /^[\w-]{32}$/.test(value) ? value : undefined
}

/** Gives the browser its id, or renews it (browsers keep a cookie 400 days at most). */
export function giveDevice(http: Http, secure: boolean): string {
  const id = deviceOf(http) ?? randomBytes(24).toString('base64url')
  setCookie(http, name, id, { httpOnly: true, sameSite: 'Lax', path: '/api/auth', secure, maxAge: longest })
  return id
}
