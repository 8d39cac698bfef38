import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../context.ts'
import { hasWaitedTooLong, isUnreachable } from '../db/connection.ts'
import { isStoreDown, S3Unreachable } from '../machine/storage/s3-client.ts'
import { callerAddress } from './caller.ts'
import { failureAnswer } from './failure-page.ts'
import { calls, requestIdOf } from './observe.ts'
import { securityHeaders } from './security-headers.ts'
import type { App, Http } from './serve.ts'

/**
 * Answers every thrown error in the one failure shape; an error that is no Problem is logged and becomes a 500. Refusals, from
 * wherever they come, are paced.
 */
export function mountFailures(app: App, context: Context): void {
  app.use(async (http, next) => {
    await next()
    const { status } = http.res
    const isRefusal = status >= 400 && status < 500
    if (isRefusal && !http.env.outgoing.destroyed)
      await context.refusals.pause(callerAddress(http, context), status)
  })
  app.onError((error, http) => {
    // A request that the caller broke off is no fault of the server, and its answer is never read.
    if (http.env.outgoing.destroyed || http.env.incoming.errored) {
      context.log.debug({ err: error }, 'a request was broken off')
      return failure(http, error instanceof Problem ? error : new Problem('unavailable'), context)
    }
    return failure(http, asProblem(error, context, http.env.outgoing), context)
  })
  app.notFound((http) => {
    const methods = methodsAt(http.req.path)
    if (methods.length === 0)
      return failure(http, new Problem('not_found', 'There is nothing at this address.'), context)
    const refused = failure(http, new Problem('method_not_allowed'), context)
    refused.headers.set('allow', methods.join(', '))
    return refused
  })
}

/** The methods declared at this address, for the Allow header (RFC 9110 15.5.6); none if there is no call. */
function methodsAt(pathname: string): string[] {
  const here = calls.filter(({ pattern }) => pattern.test(pathname))
  return [...new Set(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

/** The failure answer of a problem. */
function failure(http: Http, problem: Problem, context: Pick<Context, 'config'>): Response {
  const answer = failureAnswer(http.env.incoming, problem, securityHeaders(context.config))
  const headers = new Headers(answer.headers)
  if (typeof problem.extra['retryAfter'] === 'number') {
    headers.set('retry-after', String(problem.extra['retryAfter']))
  }
  const response = new Response(answer.body, { status: problem.status, headers })
  // A session that was renewed by the failed request keeps its new cookie.
  for (const cookie of http.res.headers.getSetCookie()) response.headers.append('set-cookie', cookie)
  return response
}

/**
 * The Problem to answer an error with: a lost database or object store, or a database that is too busy, is 503 with
 * Retry-After, a full disk 507, all else 500.
 */
export function asProblem(
  error: unknown,
  { log, lifecycle }: Pick<Context, 'log' | 'lifecycle'>,
  /** Its id is logged with the error. */
  response?: ServerResponse,
): Problem {
  if (error instanceof Problem) return error
  const code = (error as { code?: unknown } | null)?.code
  const id = response && requestIdOf(response)
  const about = id === undefined ? {} : { id }
  // A service manager may end the database together with this process.
  if (lifecycle.draining && isUnreachable(error))
    log.info({ ...about, code }, 'a request lost its database, which ended while this process was stopping')
  // Logged when the store did not answer: there may be thousands of these until it does.
  else if (error instanceof S3Unreachable && !error.wasAsked)
    log.debug({ ...about }, 'a request needed the object store, which does not answer')
  else log.error({ err: error, ...about }, 'request failed')
  // 53100: PostgreSQL has no room for a row.
  if (code === 'ENOSPC' || code === '53100') return new Problem('disk_full')
  const lost = isUnreachable(error) || hasWaitedTooLong(error) || isStoreDown(error)
  return new Problem(lost ? 'unavailable' : 'internal', undefined, lost ? { retryAfter: 5 } : {})
}

/** Answers to bytes that Node cannot parse as a request. Every other one is 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Gives Node's own refusals the headers of every answer. */
export function answerClientErrors(server: Server, headers: Readonly<Record<string, string>>): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // As Node does it: if a part of an answer is on its way, another one would be read as its rest.
    const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse }
    if (!socket.writable || error.code === 'ECONNRESET' || answer?.headersSent) {
      socket.destroy()
      return
    }
    const status = statuses[error.code ?? ''] ?? 400
    const body = `${STATUS_CODES[status]}\n`
    const lines = Object.entries({
      ...headers,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(body.length),
      'cache-control': 'no-store',
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () =>
      socket.destroy(),
    )
  })
}
