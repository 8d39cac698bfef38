import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import {
  actingUserHeader,
  type AnyEndpoint,
  type AnswerOf,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
} from '@fellowship/schema/endpoint'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../context.ts'
import { isOwnSite } from '../machine/network-address.ts'
import { csrfMatches, type Session } from '../machine/sessions.ts'
import type { App, Http } from './caller.ts'
import { hostAdvice } from './origins.ts'
import { parseInput, readJson } from './input.ts'

export type { App, Env, Http } from './caller.ts'

/** Who is calling; features get it from here instead of importing `auth`. */
type ActorOf<E extends AnyEndpoint> = E['access'] extends 'everyone' ? CurrentUser | null : CurrentUser

/** The input of a handler: everything checked and parsed. */
interface Request<E extends AnyEndpoint> {
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  actor: ActorOf<E>
  session: Session | null
  http: Http
}

type Handler<E extends AnyEndpoint> = (
  request: Request<E>,
) => Promise<AnswerOf<E> | Response> | AnswerOf<E> | Response

/** `own`: the handler limits its callers by itself. */
type Rate = 'writes' | 'own'

/** Mounts a call: cross-site, access, rate, CSRF, parse, handle, answer; in this order, for every call alike. */
export function serve<E extends AnyEndpoint>(
  app: App,
  context: Context,
  call: E,
  handler: Handler<E>,
  /** `none`: sign-in and registration, which prove themselves and end whatever session came along. */
  { csrf = 'token', rate = 'writes' }: { csrf?: 'token' | 'none'; rate?: Rate } = {},
): void {
  mount(app, context, call, rate, async (http, session) => {
    if (call.method !== 'GET' && csrf === 'token') checkCsrf(session, http.req.header('x-csrf-token'))
    const body = parseInput(call.body, call.encoding === 'json' ? await readJson(http) : {})
    return handler({ ...inputOf(call, http), body, actor: actorOf(session), session, http } as Request<E>)
  })
}

/** As `Request`, for calls whose body is a stream: the handler reads `http.env.incoming` itself. */
export type UploadRequest<E extends AnyEndpoint> = Omit<Request<E>, 'body'> & {
  /**
   * Throws `csrf` unless the token is right. The header, when sent, was checked before the handler ran and this
   * is then a no-op; otherwise call it with the `_csrf` field before anything is saved.
   */
  checkCsrfField: (token: string | undefined) => void
}

/** Mounts a call with a streamed multipart body. */
export function serveUpload<E extends AnyEndpoint>(
  app: App,
  context: Context,
  call: E,
  handler: (request: UploadRequest<E>) => Promise<AnswerOf<E> | Response>,
): void {
  mount(app, context, call, 'writes', async (http, session) => {
    const header = http.req.header('x-csrf-token')
    if (header !== undefined) checkCsrf(session, header)
    return handler({
      ...inputOf(call, http),
      actor: actorOf(session),
      session,
      http,
      checkCsrfField: (token) => {
        if (header === undefined) checkCsrf(session, token)
      },
    } as UploadRequest<E>)
  })
}

/**
 * Mounts a protocol other than JSON, which is no call of the contract, with the same checks: a session, and for requests that
 * change state same site and the token header. `HEAD` is a method of its own here, not a GET without a body.
 */
export function serveProtocol(
  app: App,
  context: Context,
  { methods, path }: { methods: readonly string[]; path: string },
  handler: (request: { http: Http; actor: CurrentUser }) => Promise<Response>,
): void {
  app.all(path, async (http) => {
    const { method } = http.req
    if (!methods.includes(method)) {
      http.header('allow', methods.join(', '))
      throw new Problem('method_not_allowed')
    }
    const isChange = method !== 'HEAD'
    if (isChange) checkSite(http, context)
    const session = await sessionOf(http, context)
    if (!session) throw new Problem('unauthorized')
    checkActing(session, http.req.header(actingUserHeader))
    if (isChange) checkCsrf(session, http.req.header('x-csrf-token'))
    // The parts of one upload are limited by its size.
    if (isChange && method !== 'PATCH') await context.writes.take(String(session.user.id))
    return handler({ http, actor: session.user })
  })
}

function mount<E extends AnyEndpoint>(
  app: App,
  context: Context,
  call: E,
  rate: Rate,
  answer: (http: Http, session: Session | null) => Promise<AnswerOf<E> | Response>,
): void {
  app.on(call.method, call.path, async (http) => {
    // Calls with a body are checked even if they change nothing: only this site's pages have a reason to make them.
    if (call.changes || call.method !== 'GET') checkSite(http, context)
    const session = await sessionOf(http, context)
    checkAccess(call, session)
    checkActing(session, http.req.header(actingUserHeader))
    if (call.changes && session && rate === 'writes') await context.writes.take(String(session.user.id))
    const result = await answer(http, session)
    return result instanceof Response ? result : json(http, result)
  })
}

/** The session of a request; an extended one sets its cookie anew. */
export async function sessionOf(http: Http, { sessions }: Context): Promise<Session | null> {
  const session = await sessions.read(http.req.header('cookie'))
  if (session?.renewed) http.header('set-cookie', session.renewed, { append: true })
  return session
}

const advise = hostAdvice()

function checkSite(http: Http, context: Context): void {
  const headers = {
    secFetchSite: http.req.header('sec-fetch-site'),
    origin: http.req.header('origin'),
    referer: http.req.header('referer'),
    host: http.req.header('host'),
  }
  if (isOwnSite(headers, context.config.publicUrl)) return
  advise(headers, context)
  throw new Problem('cross_site')
}

function checkAccess(call: AnyEndpoint, session: Session | null): void {
  if (call.access === 'everyone') return
  if (!session) throw new Problem('unauthorized')
  if (call.access === 'admin' && session.user.role !== 'admin') throw new Problem('forbidden')
}

/** Another user may have signed in on a device while its outbox entries were queued. */
function checkActing(session: Session | null, acting: string | undefined): void {
  if (acting !== undefined && acting !== String(session?.user.id)) throw new Problem('unauthorized')
}

function checkCsrf(session: Session | null, token: string | undefined): void {
  // Without a session there is nothing to forge.
  if (session && !csrfMatches(session, token)) throw new Problem('csrf')
}

const actorOf = (session: Session | null): CurrentUser | null => session?.user ?? null

function inputOf(call: AnyEndpoint, http: Http) {
  return {
    params: parseInput(call.params, http.req.param()),
    query: parseInput(call.query, http.req.query()),
  }
}

/** Answers are never cached unless a handler builds its own response. */
function json(http: Http, answer: unknown, status: ContentfulStatusCode = 200): Response {
  http.header('cache-control', 'no-store')
  return http.json(answer as Record<string, unknown>, status)
}
