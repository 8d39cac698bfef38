import { read as readAt } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { planRange } from '@fellowship/sync/protocol/byte-range'
import type { ShelvedFile } from '../machine/storage/shelf.ts'
import { matchesTag } from './etag.ts'

/** A part of a file with other bytes before it, sent as if it were a file of its own. */
export interface Framed {
  readonly head: Uint8Array
  /** The part of the file, `to` excluded. */
  readonly from: number
  readonly to: number
}

/**
 * Sends a file whose bytes never change under its address: HEAD, single ranges with If-Range, 304, 416. Multiple
 * ranges get the whole file, which RFC 9110 14.2 allows. Resolves when the last byte was handed to the socket or the
 * client has disconnected; never rejects for a client that disconnected.
 *
 * @param tag strong entity tag, in its quotes
 * @param framed sends a part of it behind other bytes; its date says nothing of those, and is left out
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: ShelvedFile,
  { tag, headers, framed }: { tag: string; headers: Record<string, string>; framed?: Framed },
): Promise<void> {
  const modified = framed ? undefined : new Date(Math.floor(file.modifiedAt.getTime() / 1000) * 1000)
  const size = framed ? framed.head.length + framed.to - framed.from : file.bytes
  const common = {
    ...headers,
    etag: tag,
    ...(modified && { 'last-modified': modified.toUTCString() }),
    'accept-ranges': 'bytes',
  }
  if (isUnchanged(request, tag, modified)) {
    response.writeHead(304, common).end()
    return
  }
  const plan = planRange(mayRange(request, tag, modified) ? request.headers.range : undefined, size)
  if (plan.status === 416) {
    response.writeHead(416, {
      ...forRefusals(headers),
      'content-range': `bytes */${size}`,
      'accept-ranges': 'bytes',
      'content-length': 0,
    })
    response.end()
    return
  }
  const { start, end } = plan
  const length = end - start + 1
  const part = framed ? partOf(framed, start, length) : { head: nothing, from: start, bytes: length }
  const isHead = request.method === 'HEAD'
  // Before the head is sent: where the bytes cannot be had, the answer still can say so.
  const stream =
    isHead || file.handle || part.bytes === 0
      ? undefined
      : await file.read(part.from, part.from + part.bytes - 1)
  response.writeHead(plan.status, {
    ...common,
    'content-length': length,
    ...(plan.status === 206 && { 'content-range': `bytes ${start}-${end}/${size}` }),
  })
  if (isHead || length === 0) return void response.end()
  if (part.head.length > 0) response.write(part.head)
  if (stream) await sendStream(response, stream)
  else if (file.handle && part.bytes > 0) await sendBytes(response, file.handle, part.from, part.bytes)
  else response.end()
}

const nothing = new Uint8Array()

/** What of the other bytes, and what of the file, a range of both consists of. */
function partOf({ head, from }: Framed, start: number, length: number) {
  const first = head.subarray(start, Math.min(head.length, start + length))
  return { head: first, from: from + Math.max(0, start - head.length), bytes: length - first.length }
}

/** Breaks the answer off where the stream fails: the client sees that the body is incomplete. */
async function sendStream(response: ServerResponse, stream: Readable): Promise<void> {
  try {
    await pipeline(stream, response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

/** The headers that do not describe the file. */
const forRefusals = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !['content-type', 'content-disposition', 'cache-control'].includes(name),
    ),
  )

/** RFC 9110 13.2.2: If-None-Match first, If-Modified-Since only without it. */
function isUnchanged(request: IncomingMessage, tag: string, modified: Date | undefined): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) return matchesTag(tags, tag)
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return modified !== undefined && modified.getTime() <= since
}

/** RFC 9110 13.1.5: Range applies to GET only, and with If-Range only while that still matches the file. */
function mayRange(request: IncomingMessage, tag: string, modified: Date | undefined): boolean {
  if (request.method !== 'GET') return false
  const ifRange = request.headers['if-range']
  if (ifRange === undefined) return true
  const condition = Array.isArray(ifRange) ? ifRange[0] : ifRange
  return condition === tag || (modified !== undefined && Date.parse(String(condition)) === modified.getTime())
}

/**
 * Positional reads into pooled buffers, one read ahead of the socket. A stream per range costs several times as much,
 * by its set-up and by the memory it allocates.
 */
async function sendBytes(
  response: ServerResponse,
  handle: FileHandle,
  start: number,
  length: number,
): Promise<void> {
  if (length <= small.bytes) {
    const buffer = small.take()
    if ((await read(handle, buffer, length, start)) !== length) return void response.destroy()
    response.end(buffer.subarray(0, length), () => small.release(buffer))
    return
  }
  let position = start
  let left = length
  while (left > 0 && !response.destroyed) {
    const buffer = large.take()
    const bytesRead = await read(handle, buffer, Math.min(large.bytes, left), position)
    // The file is shorter than announced: breaking off tells the client that the body is incomplete.
    if (bytesRead === 0) return void response.destroy()
    position += bytesRead
    left -= bytesRead
    await write(response, buffer, bytesRead)
  }
  if (!response.destroyed) response.end()
}

/** fs.read without FileHandle's reference counting: the file stays open while it is sent. */
const read = ({ fd }: FileHandle, buffer: Buffer, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    readAt(fd, buffer, 0, length, position, (error, bytesRead) =>
      error ? reject(error) : resolve(bytesRead),
    )
  })

/** Resolves when the socket wants more; the buffer returns to the pool only once it was written. */
function write(response: ServerResponse, buffer: Buffer, length: number): Promise<void> {
  return new Promise((resolve) => {
    const wantsMore = response.write(buffer.subarray(0, length), (error) => {
      if (!error) large.release(buffer)
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

/** A pool of buffers. One that is not given back is garbage-collected. */
function buffersOf(bytes: number, max: number) {
  const free: Buffer[] = []
  return {
    bytes,
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(bytes),
    release(buffer: Buffer) {
      if (free.length < max) free.push(buffer)
    },
  }
}

const small = buffersOf(128 * 1024, 64)
const large = buffersOf(1024 * 1024, 32)
