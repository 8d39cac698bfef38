import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../context.ts'
import type { App, Http } from './serve.ts'

/** Turns whatever was thrown into the one failure shape; what is not a Problem is logged and answered as 500. */
export function mountFailures(app: App, context: Context): void {
  app.onError((error, http) => failure(http, asProblem(error, context)))
  app.notFound((http) => {
    const methods = methodsAt(http.req.path)
    if (methods.length === 0)
      return failure(http, new Problem('not_found', 'There is nothing at this address.'))
    const refused = failure(http, new Problem('method_not_allowed'))
    refused.headers.set('allow', methods.join(', '))
    return refused
  })
}

/** What the calls at this address may be made with; none where there is no call (RFC 9110 15.5.6 wants them named). */
function methodsAt(pathname: string): string[] {
  const here = calls.filter(({ pattern }) => pattern.test(pathname))
  return [...new Set(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

const calls = Object.values(contract).flatMap((group) =>
  Object.values<AnyEndpoint>(group).map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
  })),
)

/** The failure answer of a problem. */
export function failure(http: Http, problem: Problem): Response {
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  if (typeof problem.extra['retryAfter'] === 'number') {
    headers.set('retry-after', String(problem.extra['retryAfter']))
  }
  const response = new Response(JSON.stringify(problem.toBody()), { status: problem.status, headers })
  // A session that was renewed on the way to the failure keeps its cookie.
  for (const cookie of http.res.headers.getSetCookie()) response.headers.append('set-cookie', cookie)
  return response
}

/** A lost database is the one foreign error that has a better answer than 500: wait and try again. */
export function asProblem(error: unknown, { log }: Pick<Context, 'log'>): Problem {
  if (error instanceof Problem) return error
  const code = (error as { code?: unknown } | null)?.code
  log.error({ err: error }, 'request failed')
  if (code === 'ENOSPC') return new Problem('disk_full')
  const lost =
    typeof code === 'string' && /^(CONNECTION_|CONNECT_TIMEOUT|ECONNREFUSED|ENOENT$|57P0)/.test(code)
  return new Problem(lost ? 'unavailable' : 'internal', undefined, lost ? { retryAfter: 5 } : {})
}
