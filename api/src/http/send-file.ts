import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { planRange } from '@fellowship/sync/protocol/byte-range'
import type { OpenFile } from './open-files.ts'

/**
 * Sends a file whose bytes never change under its address: HEAD, single ranges with If-Range, 304, 416. Multiple
 * ranges get the whole file, which RFC 9110 14.2 allows. Resolves when the last byte was handed over or the client
 * has left; never rejects for a client that left.
 *
 * @param tag strong entity tag, in its quotes
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: OpenFile,
  { tag, headers }: { tag: string; headers: Record<string, string> },
): Promise<void> {
  const modified = new Date(Math.floor(file.modified.getTime() / 1000) * 1000)
  const common = { ...headers, etag: tag, 'last-modified': modified.toUTCString(), 'accept-ranges': 'bytes' }
  if (isUnchanged(request, tag, modified)) {
    response.writeHead(304, common).end()
    return
  }
  const plan = planRange(mayRange(request, tag, modified) ? request.headers.range : undefined, file.size)
  if (plan.status === 416) {
    response.writeHead(416, {
      'content-range': `bytes */${file.size}`,
      'accept-ranges': 'bytes',
      'content-length': 0,
    })
    response.end()
    return
  }
  const { start, end } = plan
  const length = end - start + 1
  response.writeHead(plan.status, {
    ...common,
    'content-length': length,
    ...(plan.status === 206 && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  })
  if (request.method === 'HEAD' || length === 0) response.end()
  else await sendBytes(response, file.handle, start, length)
}

/** RFC 9110 13.2.2: If-None-Match first, If-Modified-Since only without it. */
function isUnchanged(request: IncomingMessage, tag: string, modified: Date): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return modified.getTime() <= since
}

/** RFC 9110 13.1.5: a Range counts only for GET, and with If-Range only while that names the very same bytes. */
function mayRange(request: IncomingMessage, tag: string, modified: Date): boolean {
  if (request.method !== 'GET') return false
  const ifRange = request.headers['if-range']
  if (ifRange === undefined) return true
  const condition = Array.isArray(ifRange) ? ifRange[0] : ifRange
  return condition === tag || Date.parse(String(condition)) === modified.getTime()
}

/**
 * Positional reads into pooled buffers, one read ahead of the socket. Streams would open, stat and set up anew for
 * every range, which costs several times the work itself.
 */
async function sendBytes(
  response: ServerResponse,
  handle: FileHandle,
  start: number,
  length: number,
): Promise<void> {
  if (length <= smallBody) {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await handle.read(buffer, 0, length, start)
    if (bytesRead === length) response.end(buffer)
    else response.destroy()
    return
  }
  let position = start
  let left = length
  while (left > 0 && !response.destroyed) {
    const buffer = pool.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
    const { bytesRead } = await handle.read(buffer, 0, Math.min(bufferBytes, left), position)
    // Shorter than it was: the length is announced already, so only breaking off is honest.
    if (bytesRead === 0) return void response.destroy()
    position += bytesRead
    left -= bytesRead
    await write(response, buffer, bytesRead)
  }
  if (!response.destroyed) response.end()
}

const smallBody = 128 * 1024
const bufferBytes = 1024 * 1024
const pool: Buffer[] = []
const poolMost = 32

/** Resolves when the socket wants more; the buffer returns to the pool only when it was really written. */
function write(response: ServerResponse, buffer: Buffer, length: number): Promise<void> {
  return new Promise((resolve) => {
    const wantsMore = response.write(buffer.subarray(0, length), (error) => {
      if (!error && pool.length < poolMost) pool.push(buffer)
    })
    if (wantsMore || response.destroyed) return resolve()
    const go = () => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go)
    response.on('close', go)
  })
}
