import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

/** The answer of this site. Status 0: no answer within ten seconds, or one beyond 32 MB. */
interface OwnAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Requests a path of this site over HTTP; it begins with a slash. Never rejects. */
export type RequestOwnSite = (
  path: string,
  options?: { method?: 'GET' | 'HEAD'; headers?: Record<string, string> },
) => Promise<OwnAnswer>

const timeoutMs = 10_000
const maxBytes = 32 * 1024 * 1024

/**
 * An HTTP client for this server: it connects to the address at which a request came in and sends that request's Host, so
 * that answers are those an outside client gets. No other server can be reached with it.
 */
export function ownSite({ socket, headers: { host } }: IncomingMessage): RequestOwnSite {
  const { localAddress, localPort } = socket
  return (path, { method = 'GET', headers = {} } = {}) =>
    new Promise((resolve) => {
      const nothing = () => resolve({ status: 0, headers: {}, body: Buffer.alloc(0) })
      const outgoing = request(
        {
          host: localAddress,
          port: localPort,
          path,
          method,
          headers: { host, ...headers },
          timeout: timeoutMs,
        },
        (response) => {
          const parts: Buffer[] = []
          let bytes = 0
          response.on('data', (part: Buffer) => {
            parts.push(part)
            bytes += part.length
            if (bytes > maxBytes) outgoing.destroy()
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
      outgoing.once('timeout', () => outgoing.destroy())
      outgoing.once('error', nothing)
      outgoing.end()
    })
}
