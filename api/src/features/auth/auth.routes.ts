import { randomBytes } from 'node:crypto'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { addressRates } from '@fellowship/schema/auth/auth.limits'
import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { Problem } from '@fellowship/schema/problem'
import { getCookie, setCookie } from 'hono/cookie'
import type { Context } from '../../context.ts'
import { callerAddress } from '../../http/caller.ts'
import { sharedLimiter } from '../../http/limiter.ts'
import { type App, type Http, serve, sessionOf } from '../../http/serve.ts'
import type { Session } from '../../machine/sessions.ts'
import {
  register,
  resetPassword,
  sendReset,
  sendVerification,
  signIn,
  trustDevice,
  verifyEmail,
} from './auth.ts'

export function mountAuth(app: App, context: Context): void {
  const { config, mail, sessions } = context
  const signIns = sharedLimiter(context, 'sign-in', addressRates.signIn)
  const registrations = sharedLimiter(context, 'registration', addressRates.registration)

  serve(app, context, auth.currentUser, ({ actor }) => ({ user: actor, registration: config.registration }))

  serve(
    app,
    context,
    auth.login,
    async ({ body, http, session }) => {
      const address = callerAddress(http, context)
      await signIns.take(address)
      const { user, cookie } = await signIn(context, body, deviceOf(http)).catch(async (error: unknown) => {
        if (error instanceof Problem && error.code === 'unavailable')
          await signIns.giveBack(address).catch(() => undefined)
        throw error
      })
      // A hall full of people may sign in behind one address; only wrong passwords count.
      await signIns.giveBack(address)
      return { user: await beginSession(http, user, cookie, session) }
    },
    { csrf: 'none' },
  )

  serve(
    app,
    context,
    auth.register,
    async ({ body, http, session }) => {
      await registrations.take(callerAddress(http, context))
      const user = await register(context, body)
      void sendVerification(context, mail, user).catch((error: unknown) =>
        context.log.error({ err: error }, 'a verification mail could not be sent'),
      )
      const { cookie } = await sessions.start(user.id)
      return { user: await beginSession(http, user, cookie, session) }
    },
    { csrf: 'none' },
  )

  serve(app, context, auth.logout, async ({ http, session }) => {
    if (session) http.header('set-cookie', await sessions.end(session.id))
    return { success: true as const }
  })

  const resets = sharedLimiter(context, 'reset', addressRates.reset)
  serve(app, context, auth.forgotPassword, async ({ body, http }) => {
    await resets.take(callerAddress(http, context))
    // Not awaited: the time of the answer would reveal whether the account exists.
    void sendReset(context, mail, body.email).catch((error: unknown) =>
      context.log.error({ err: error }, 'a password reset mail could not be sent'),
    )
    return { success: true as const }
  })
  const mailedLinks = sharedLimiter(context, 'mailed link', addressRates.mailedLink)
  serve(app, context, auth.resetPassword, async ({ body, http }) => {
    await mailedLinks.take(callerAddress(http, context))
    await resetPassword(context, body)
    return { success: true as const }
  })
  serve(app, context, auth.verifyEmail, async ({ body, http }) => {
    await mailedLinks.take(callerAddress(http, context))
    await verifyEmail(context, body.token)
    return { success: true as const }
  })

  // A signed-out caller gets a token too, so that a client may fetch one at start; signing in changes it.
  serve(app, context, auth.csrfToken, ({ session }) => ({
    csrfToken: session?.csrf ?? randomBytes(24).toString('base64url'),
  }))

  app.get('/api/login', async (http) => {
    const page = pageAfterSignIn(
      http.req.query('return'),
      http.req.header('referer'),
      http.req.header('host'),
    )
    return http.redirect((await sessionOf(http, context)) ? page : signInAddress(page), 302)
  })

  /** Ends the session that came along, against session fixation, and sets the cookies of the new one. */
  async function beginSession(
    http: Http,
    user: CurrentUser,
    cookie: string,
    before: Session | null,
  ): Promise<CurrentUser> {
    if (before) await sessions.end(before.id)
    http.res.headers.delete('set-cookie')
    http.header('set-cookie', cookie, { append: true })
    await trustDevice(context, user, setDevice(http, config.secureCookies))
    return user
  }
}

const name = 'device'
const longest = 400 * 24 * 60 * 60

/** The device id from the cookie; undefined if it is absent or malformed. */
function deviceOf(http: Http): string | undefined {
  const value = getCookie(http, name)
  return value && /^[\w-]{32}$/.test(value) ? value : undefined
}

/** Sets or renews the device cookie; browsers store a cookie for 400 days at most. */
function setDevice(http: Http, secure: boolean): string {
  const id = deviceOf(http) ?? randomBytes(24).toString('base64url')
  setCookie(http, name, id, { httpOnly: true, sameSite: 'Lax', path: '/api/auth', secure, maxAge: longest })
  return id
}

/** The page after a sign-in at `/api/login`: `return`, else a Referer of this site, else the home page. */
const pageAfterSignIn = (
  wanted: string | undefined,
  referer: string | undefined,
  host: string | undefined,
): string => ownPath(wanted, host) ?? ownPath(referer, host) ?? '/'

/** The home page with the sign-in panel open, which then redirects; the page itself may need the sign-in. */
const signInAddress = (page: string): string => `/?signin&return=${encodeURIComponent(page)}`

/** The path of an address of this site; undefined for anything that could be an open redirect. */
function ownPath(address: string | undefined, host: string | undefined): string | undefined {
  if (!address) return undefined
  const base = `http://${host ?? 'localhost'}`
  if (!URL.canParse(address, base)) return undefined
  const url = new URL(address, base)
  const own = url.host === new URL(base).host && (url.protocol === 'http:' || url.protocol === 'https:')
  if (!own || url.pathname.startsWith('//') || url.pathname.startsWith('/api/')) return undefined
  url.searchParams.delete('signin')
  url.searchParams.delete('return')
  return url.pathname + url.search
}
