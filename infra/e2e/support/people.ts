import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import type { BrowserContext } from 'playwright-core'
import { cookieTransport } from '../../dev/cookie-transport.ts'
import { administrator as account } from './product.ts'

/** Somebody with an account. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** There from the first start on. */
export const administrator: Person = { ...account, name: 'Administrator' }
/** Has an account of the role 'user' once `register` was called. */
export const member: Person = {
  name: 'Mere Member',
  email: 'member@example.org',
  password: 'another-password-for-tests',
}

/** Somebody's session, outside of any browser. */
export type Session = ReturnType<typeof cookieTransport>

/** Signs in past the screens. */
export async function signInByCall(url: string, { email, password }: Person): Promise<Session> {
  const session = cookieTransport(url)
  await call(auth.login, { body: { email, password } }, session)
  return session
}

/** Makes an account where registration is open, and signs in. */
export async function register(url: string, person: Person): Promise<Session> {
  const session = cookieTransport(url)
  await call(auth.register, { body: person }, session)
  return session
}

/** The browser goes on with the session. */
export async function handOver(session: Session, context: BrowserContext): Promise<void> {
  const value = session.cookies.get(sessionCookie)!
  await context.addCookies([
    { name: sessionCookie, value, url: session.base, httpOnly: true, sameSite: 'Lax' },
  ])
}

/** The browser's session, for calls besides it. */
export async function sessionOf(context: BrowserContext, url: string): Promise<Session> {
  const session = cookieTransport(url)
  for (const { name, value } of await context.cookies(url)) session.cookies.set(name, value)
  return session
}

const sessionCookie = 'sid'
