import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import type { TestClient } from './test-app.ts'

/** A small real recording of infra/dev/fixtures. */
export const fixture = (name: string) =>
  readFile(path.join(import.meta.dirname, '../../../infra/dev/fixtures', name))

/**
 * A playable WAV of about `bytes` bytes, a chunk at a time: silence, but for `seed`, so that two differ.
 */
export function* longWav(bytes: number, seed = 0): Generator<Buffer> {
  const data = bytes - 44
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(bytes - 8, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(44_100, 24)
  head.writeUInt32LE(88_200, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(data, 40)
  yield head
  const piece = Buffer.alloc(64 * 1024, seed)
  for (let left = data; left > 0; left -= piece.length)
    yield left < piece.length ? piece.subarray(0, left) : piece
}

export type Part =
  | { name: string; value: string }
  | { name: string; filename: string; type?: string; body: Iterable<Buffer> }

const boundary = 'xYzZyBoundary'

/** The body of a form exactly as a client would write it, in the order given. Quotes in names go as %22. */
export function* formBody(parts: readonly Part[], { close = true } = {}): Generator<Buffer> {
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

/** Sends a form over a connection of its own, chunked unless a length is given; the cookies are the client's. */
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
    // As a browser does: an answer does not stop the sending, a broken connection does.
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

/** Everything that uploads may leave in a data folder. */
export async function storedFiles(dataDir: string): Promise<{ staging: string[]; audio: string[] }> {
  const [staging, audio] = await Promise.all(
    ['staging', 'audio'].map((name) => readdir(path.join(dataDir, name))),
  )
  return { staging: staging!, audio: audio! }
}
