import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { compressedBody, type CompressedBody, type ContentCoding } from './content-coding.ts'
import { rawRoute, sendBody, type RawRoute } from './deliver.ts'
import { securityHeaders } from './security-headers.ts'

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
 * the framework routes.
 */
export function keptRoute(
  context: Parameters<typeof rawRoute>[0],
  { path }: AnyEndpoint,
  answerTo: (request: IncomingMessage) => Promise<KeptJson>,
  { cacheControl = 'no-cache' }: { cacheControl?: string } = {},
): RawRoute {
  const failureHeaders = securityHeaders(context.config)
  const headers = Object.entries({ ...failureHeaders, 'cache-control': cacheControl }).flat()
  return rawRoute(context, {
    matches: ({ method }, pathname) => pathname === path && (method === 'GET' || method === 'HEAD'),
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
