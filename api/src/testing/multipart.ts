import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import type { TestClient } from './test-client.ts'

export { longWav } from './long-wav.ts'

/** A small recording of infra/dev/fixtures. */
export const fixture = (name: string) =>
  readFile(path.join(import.meta.dirname, '../../../infra/dev/fixtures', name))

export type FormPart =
  | { name: string; value: string }
  | { name: string; filename: string; type?: string; body: Iterable<Buffer> }

const boundary = 'xYzZyBoundary'

/** The body of a multipart form with the parts in this order. Quotes in names become %22. */
export function* formBody(parts: readonly FormPart[], { close = true } = {}): Generator<Buffer> {
  for (const part of parts) {
    const isFile = 'filename' in part
    const filename = isFile ? `; filename="${part.filename.replaceAll('"', '%22')}"` : ''
    const type = isFile ? `Content-Type: ${part.type ?? 'application/octet-stream'}\r\n` : ''
    yield Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${filename}\r\n${type}\r\n`,
    )
    if (isFile) yield* part.body
    else yield Buffer.from(part.value)
    yield Buffer.from('\r\n')
  }
  if (close) yield Buffer.from(`--${boundary}--\r\n`)
}

export interface FormAnswer {
  status: number
  body: Record<string, unknown>
}

/** Sends a form over its own connection with the client's cookies, chunked unless a length is given. */
export async function sendForm(
  client: TestClient,
  address: string,
  body: Iterable<Buffer>,
  { method = 'POST', headers = {} }: { method?: string; headers?: http.OutgoingHttpHeaders } = {},
): Promise<FormAnswer> {
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const request = http.request(client.base + address, {
    method,
    agent: false,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, cookie, ...headers },
  })
  const answer = new Promise<FormAnswer>((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> }),
      )
    })
  })
  let answered = false
  answer.then(
    () => (answered = true),
    () => (answered = true),
  )
  for (const chunk of body) {
    // As in browsers: an early answer does not stop the upload, a broken connection does.
    if (answered && request.destroyed) break
    if (request.write(chunk)) continue
    const heard = new AbortController()
    const { signal } = heard
    await Promise.race([once(request, 'drain', { signal }), once(request, 'close', { signal })])
    heard.abort()
  }
  request.end()
  return answer
}

/** The files that uploads may leave in a data folder. */
export async function storedFiles(dataDir: string): Promise<{ staging: string[]; audio: string[] }> {
  const [staging, audio] = await Promise.all(
    ['staging', 'audio'].map((name) => readdir(path.join(dataDir, name))),
  )
  return { staging: staging!, audio: audio! }
}
