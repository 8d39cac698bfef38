import { randomBytes } from 'node:crypto'
import { getCookie, setCookie } from 'hono/cookie'
import type { Http } from '../../http/serve.ts'

const name = 'device'
const longest = 400 * 24 * 60 * 60

/** The device id from the cookie; undefined where there is none or it is malformed. */
export function deviceOf(http: Http): string | undefined {
  const value = getCookie(http, name)
  return value && /^[\w-]{32}$/.test(value) ? value : undefined
}

/** Sets or renews the device cookie; browsers store a cookie for 400 days at most. */
export function setDevice(http: Http, secure: boolean): string {
  const id = deviceOf(http) ?? randomBytes(24).toString('base64url')
  setCookie(http, name, id, { httpOnly: true, sameSite: 'Lax', path: '/api/auth', secure, maxAge: longest })
  return id
}
