import { request, type IncomingHttpHeaders } from 'node:http'

export interface Exchange {
  status: number
  headers: IncomingHttpHeaders
  /** As received, still compressed. */
  body: Buffer
  /** Bytes received on the socket: status line, headers and body. */
  wireBytes: number
  ms: number
}

/** Sends one request over a new connection; the body is not decoded. */
export function exchange(
  url: string,
  {
    headers = {},
    method = 'GET',
    body,
  }: { headers?: Record<string, string>; method?: string; body?: Buffer[] } = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks),
          wireBytes: response.socket.bytesRead,
          ms: performance.now() - started,
        }),
      )
    })
    sent.once('error', reject)
    void send(sent, body ?? [])
  })
}

async function send(sent: ReturnType<typeof request>, body: readonly Buffer[]): Promise<void> {
  for (const chunk of body) {
    if (!sent.write(chunk) && !sent.destroyed) {
      await new Promise<void>((resolve) => {
        const go = () => {
          sent.off('drain', go)
          sent.off('close', go)
          resolve()
        }
        sent.on('drain', go)
        sent.on('close', go)
      })
    }
  }
  sent.end()
}
