import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

/** What this site answered. Status 0: nothing came within ten seconds, or far too much. */
export interface OwnAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Asks this site over HTTP; the path begins with a slash. Never rejects. */
export type AskOwnSite = (
  path: string,
  options?: { method?: 'GET' | 'HEAD'; headers?: Record<string, string> },
) => Promise<OwnAnswer>

const patienceMs = 10_000
const mostBytes = 32 * 1024 * 1024

/**
 * A stranger to this very server: asks at the address on which a request came in, under the host name that it used, so
 * that everything is answered as it is to anybody outside. No other server can be reached with it.
 */
export function ownSite({ socket, headers: { host } }: IncomingMessage): AskOwnSite {
  const { localAddress, localPort } = socket
  return (path, { method = 'GET', headers = {} } = {}) =>
    new Promise((resolve) => {
      const nothing = () => resolve({ status: 0, headers: {}, body: Buffer.alloc(0) })
      const asked = request(
        {
          host: localAddress,
          port: localPort,
          path,
          method,
          headers: { host, ...headers },
          timeout: patienceMs,
        },
        (response) => {
          const parts: Buffer[] = []
          let bytes = 0
          response.on('data', (part: Buffer) => {
            parts.push(part)
            bytes += part.length
            if (bytes > mostBytes) asked.destroy()
          })
          response.once('error', nothing)
          response.once('close', nothing)
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(parts),
            }),
          )
        },
      )
      asked.once('timeout', () => asked.destroy())
      asked.once('error', nothing)
      asked.end()
    })
}
