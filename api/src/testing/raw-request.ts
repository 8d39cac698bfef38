import http from 'node:http'

interface RawAnswer {
  status: number
  headers: http.IncomingHttpHeaders
  /** As received, still compressed. */
  body: Buffer
}

/** One request over a connection of its own, without `fetch`, which adds headers, follows redirects and hides ranges. */
export function rawRequest(
  url: string,
  headers: http.OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    request.once('error', reject)
    request.end()
  })
}
