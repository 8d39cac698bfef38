import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Asked {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

interface Answered {
  status?: number
  body: unknown
  headers?: Record<string, string>
}
type Answer = (asked: Asked) => Answered | Promise<Answered>
/** For addresses that nobody knows beforehand. */
export type Fallback = (asked: Asked) => Answered | undefined

/**
 * A real HTTP server that answers as the test says, by 'METHOD /path', and the page standing on its origin. What was
 * asked of it, in order, is returned; the CSRF token is answered by itself.
 */
export async function testServer(
  answers: Record<string, Answer>,
  otherwise: Fallback = () => undefined,
): Promise<Asked[]> {
  const asked: Asked[] = []
  const server = createServer(
    (request, response) => void answer(request, response, answers, otherwise, asked),
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
  return asked
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  answers: Record<string, Answer>,
  otherwise: Fallback,
  asked: Asked[],
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = '', url = '', headers } = request
  const heard = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
  const tokenWanted = url === '/api/csrf-token'
  if (!tokenWanted) asked.push(heard)
  const answered = tokenWanted
    ? { body: { csrfToken: 'token' } }
    : ((await answers[`${method} ${url}`]?.(heard)) ?? otherwise(heard))
  response.writeHead(answered?.status ?? (answered ? 200 : 404), {
    'content-type': 'application/json',
    ...(answered && 'headers' in answered && answered.headers),
  })
  const { body } = answered ?? { body: { error: 'Not found', code: 'not_found' } }
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function happyDom(): { setURL: (url: string) => void } {
  return (window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM
}
