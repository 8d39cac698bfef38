import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../context.ts'
import { addressOfCaller } from './caller.ts'
import {
  acceptedEncoding,
  type ContentCoding,
  compressedBody,
  type CompressedBody,
} from './content-coding.ts'
import { failureAnswer } from './failure-page.ts'
import { asProblem } from './on-error.ts'
import { requestIdHeader, requestIdOf } from './observe.ts'
import { createHash } from 'node:crypto'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { securityHeaders } from './security-headers.ts'

/** Requests that are answered before the framework, whose per-request objects cost ten times the work itself. */
export interface RawRoute {
  matches: (request: IncomingMessage, pathname: string) => boolean
  deliver: (request: IncomingMessage, response: ServerResponse, pathname: string) => void
}

interface RawRouteOptions {
  matches: RawRoute['matches']
  /** Headers of every failure; `securityHeaders` unless the route is open to other sites. */
  failureHeaders: Readonly<Record<string, string>>
  /** `text` for readers that are no clients of the API. */
  failureBody?: 'json' | 'text'
  /** Sends the answer, by `sendFile` or `sendBody`; throws a Problem to refuse. */
  send: (request: IncomingMessage, response: ServerResponse, pathname: string) => Promise<void>
}

/** A route for GET and HEAD: other methods get 405 with Allow, whatever `send` throws becomes a failure answer. */
export function rawRoute(
  context: Pick<Context, 'config' | 'log' | 'lifecycle' | 'refusals'>,
  { matches, failureHeaders, failureBody = 'json', send }: RawRouteOptions,
): RawRoute {
  return {
    matches,
    deliver(request, response, pathname) {
      const fail = async (problem: Problem) => {
        if (problem.status < 500)
          await context.refusals.pause(addressOfCaller(request, context), problem.status)
        refuse(request, response, problem)
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return void fail(new Problem('method_not_allowed'))
      }
      send(request, response, pathname).catch((error: unknown) => fail(asProblem(error, context, response)))
    },
  }

  function refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
    if (response.headersSent) return void response.destroy()
    const { retryAfter } = problem.extra
    const { headers, body } =
      failureBody === 'json'
        ? failureAnswer(request, problem, failureHeaders)
        : { headers: { ...failureHeaders, ...plainText }, body: problem.message }
    if (problem.code === 'method_not_allowed') headers['allow'] = 'GET, HEAD'
    if (typeof retryAfter === 'number') headers['retry-after'] = String(retryAfter)
    response.writeHead(problem.status, { ...headers, ...idHeader(response) })
    response.end(body)
  }
}

const plainText = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

/** Refuses a request before it is routed, and ends its connection, whose body is not read. */
export function refuseAtOnce(
  request: IncomingMessage,
  response: ServerResponse,
  problem: Problem,
  headers: Readonly<Record<string, string>>,
): void {
  const answer = failureAnswer(request, problem, headers)
  response.writeHead(problem.status, { ...answer.headers, ...idHeader(response), connection: 'close' })
  response.end(answer.body)
}

/** A header set beforehand would cost a raw answer half its speed: Node then copies and checks all of them. */
function idHeader(response: ServerResponse): Record<string, string> {
  const id = requestIdOf(response)
  return id === undefined ? {} : { [requestIdHeader]: id }
}

/** A body in memory, in several codings. */
export interface Body {
  /** Headers of the answer, also of a 304, as a flat list of names and values. */
  readonly headers: readonly string[]
  readonly type: string
  /** Entity tag of the plain body, without quotes. */
  readonly tag: string
  /** Compared with If-Modified-Since; sent as Last-Modified. */
  readonly modified?: Date | undefined
  /** Codings it is offered in; among equals the first is preferred. */
  readonly codings: readonly ContentCoding[]
  encode: (coding: ContentCoding | undefined) => Buffer | Promise<Buffer>
}

/** Sends a body in the coding the client prefers: HEAD, 304 by tag or by date. */
export async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, type, tag, modified, codings, encode }: Body,
): Promise<void> {
  const coding = acceptedEncoding(request.headers['accept-encoding'], codings)
  // Each coding is a representation of its own, so each has a tag of its own (RFC 9110 8.8.3).
  const etag = coding ? `"${tag}-${coding}"` : `"${tag}"`
  const common = [...headers, 'vary', 'accept-encoding', 'etag', etag]
  const id = requestIdOf(response)
  if (id !== undefined) common.push(requestIdHeader, id)
  if (modified) common.push('last-modified', modified.toUTCString())
  if (isUnchanged(request, etag, modified)) {
    response.writeHead(304, common).end()
    return
  }
  const body = await encode(coding)
  common.push('content-type', type, 'content-length', String(body.length))
  if (coding) common.push('content-encoding', coding)
  response.writeHead(200, common)
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** RFC 9110 13.2.2: If-None-Match first, If-Modified-Since only without it. */
function isUnchanged({ headers }: IncomingMessage, etag: string, modified: Date | undefined): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return matchesTag(tags, etag)
  if (!modified) return false
  // Equal, not merely older: a library restored from a backup is older than the clients' cached copies.
  return Math.floor(modified.getTime() / 1000) * 1000 === Date.parse(headers['if-modified-since'] ?? '')
}

/** Whether an If-None-Match header names this tag: a list compared weakly, `*` names every tag (RFC 9110 13.1.2). */
export function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  return (
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  )
}

/** How long a cache in front of the product may answer by itself: published changes may show as much later there. */
const edgeSeconds = 60

/**
 * For an answer that is the same for everyone, without cookie: a cache in front (nginx, a CDN) answers for a minute, and
 * then asks by entity tag; a browser asks each time.
 */
export const sharedForAMinute = `public, max-age=0, s-maxage=${edgeSeconds}, must-revalidate`

/** An answer that is sent many times: serialised once, compressed once for each coding. */
export interface KeptJson extends CompressedBody {
  /** Of its bytes, without quotes. */
  readonly etag: string
}

/** @param options as of `compressedBody` */
export function keptJson(value: unknown, options?: Parameters<typeof compressedBody>[1]): KeptJson {
  const plain = Buffer.from(JSON.stringify(value))
  const etag = createHash('sha256').update(plain).digest('base64url').slice(0, 27)
  return { ...compressedBody(plain, options), etag }
}

/**
 * Mounts a GET call for everyone before the framework, with the answer that is kept. Other methods of its path are calls that
 * the framework routes. The last part of the path may be a parameter.
 */
export function keptRoute(
  context: Parameters<typeof rawRoute>[0],
  { path }: AnyEndpoint,
  answerTo: (request: IncomingMessage) => Promise<KeptJson>,
  { cacheControl = 'no-cache' }: { cacheControl?: string } = {},
): RawRoute {
  const failureHeaders = securityHeaders(context.config)
  const headers = Object.entries({ ...failureHeaders, 'cache-control': cacheControl }).flat()
  const [folder = '', parameter] = path.split(':')
  const isAt = (pathname: string) =>
    parameter === undefined
      ? pathname === path
      : pathname.startsWith(folder) && !pathname.slice(folder.length).includes('/')
  return rawRoute(context, {
    matches: ({ method }, pathname) => isAt(pathname) && (method === 'GET' || method === 'HEAD'),
    failureHeaders,
    send: async (request, response) => send(request, response, headers, await answerTo(request)),
  })
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  headers: readonly string[],
  answer: KeptJson,
): Promise<void> {
  return sendBody(request, response, {
    headers,
    type: 'application/json; charset=utf-8',
    tag: answer.etag,
    codings: ['br', 'gzip'],
    encode: (coding) => inCoding(answer, coding),
  })
}

const inCoding = (body: CompressedBody, coding: ContentCoding | undefined) =>
  coding === 'br' ? body.brotli() : coding === 'gzip' ? body.gzip() : body.plain
