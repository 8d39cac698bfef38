import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Answers to what is no request that Node can read. Every other one is 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Gives Node's own refusals the headers of every answer. */
export function answerClientErrors(server: Server, headers: Readonly<Record<string, string>>): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // As Node does it: where a part of an answer is on its way, another one would be read as its rest.
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
