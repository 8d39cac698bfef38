import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

interface TestResponse {
  status?: number
  body: unknown
  headers?: Record<string, string>
}
type Answer = (request: ReceivedRequest) => TestResponse | Promise<TestResponse>
/** For addresses that a test cannot list beforehand. */
export type Fallback = (request: ReceivedRequest) => TestResponse | undefined

/**
 * Starts a real HTTP server with responses by 'METHOD /path', and puts the document on its origin. CSRF tokens are
 * answered automatically.
 *
 * @returns the requests it receives, in order, without those for tokens
 */
export async function testServer(
  answers: Record<string, Answer>,
  otherwise: Fallback = () => undefined,
): Promise<ReceivedRequest[]> {
  const received: ReceivedRequest[] = []
  const server = createServer(
    (request, response) => void answer(request, response, answers, otherwise, received),
  )
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  happyDom().setURL(`http://127.0.0.1:${port}/`)
  return received
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  answers: Record<string, Answer>,
  otherwise: Fallback,
  received: ReceivedRequest[],
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = '', url = '', headers } = request
  const incoming = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
  const tokenWanted = url === '/api/csrf-token'
  if (!tokenWanted) received.push(incoming)
  const answered = tokenWanted
    ? { body: { csrfToken: 'token' } }
    : ((await answers[`${method} ${url}`]?.(incoming)) ?? otherwise(incoming))
  response.writeHead(answered?.status ?? (answered ? 200 : 404), {
    'content-type': 'application/json',
    ...(answered && 'headers' in answered && answered.headers),
  })
  const { body } = answered ?? { body: { error: 'Not found', code: 'not_found' } }
  response.end(typeof body === 'string' ? body : JSON.stringify(isRefusal(body) ? refusalOf(body) : body))
}

const isRefusal = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && 'code' in body && 'error' in body

/** Adds `success: false`, as in every refusal of our server; an answer without it comes from a proxy. */
const refusalOf = (body: object) => ({ success: false, ...body })

function happyDom(): { setURL: (url: string) => void } {
  return (window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM
}
