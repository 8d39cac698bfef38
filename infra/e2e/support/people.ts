import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import type { BrowserContext } from 'playwright-core'
import { cookieTransport } from '../../dev/cookie-transport.ts'
import { administrator as account } from './product.ts'

/** A user account. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Created by the first start. */
export const administrator: Person = { ...account, name: 'Administrator' }
/** An account of the role 'user' after `register`. */
export const member: Person = {
  name: 'Mere Member',
  email: 'member@example.org',
  password: 'another-password-for-tests',
}

/** A session outside any browser. */
export type TestSession = ReturnType<typeof cookieTransport>

/** Signs in through the API. */
export async function signInByCall(url: string, { email, password }: Person): Promise<TestSession> {
  const session = cookieTransport(url)
  await call(auth.login, { body: { email, password } }, session)
  return session
}

/** Registers an account and signs in. */
export async function register(url: string, person: Person): Promise<TestSession> {
  const session = cookieTransport(url)
  await call(auth.register, { body: person }, session)
  return session
}

/** Gives a browser context the session’s cookie. */
export async function addSessionCookie(session: TestSession, context: BrowserContext): Promise<void> {
  const value = session.cookies.get(sessionCookie)!
  await context.addCookies([
    { name: sessionCookie, value, url: session.base, httpOnly: true, sameSite: 'Lax' },
  ])
}

/** The session of a browser context, for API calls. */
export async function sessionOf(context: BrowserContext, url: string): Promise<TestSession> {
  const session = cookieTransport(url)
  for (const { name, value } of await context.cookies(url)) session.cookies.set(name, value)
  return session
}

const sessionCookie = 'sid'
