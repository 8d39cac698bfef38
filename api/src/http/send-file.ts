import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { planRange } from '@fellowship/sync/protocol/byte-range'
import type { OpenBlob } from '../machine/storage/blob-store.ts'
import { matchesTag } from './deliver.ts'
import { bytesInFlight, isOnDisk, sendBytes } from './send-bytes.ts'
import { sendingBudget, type SendingBudget, type SendingSlot } from './sending-budget.ts'

/** Bytes that are sent in their order as if they were one file: other ones, or a stretch of the file, `to` excluded. */
type SentPart = Uint8Array | { readonly from: number; readonly to: number }

export interface SendOptions {
  /** Strong entity tag, in its quotes. */
  tag: string
  headers: Record<string, string>
  /** Sent in place of the file; its date does not apply to them, and is left out. */
  parts?: readonly SentPart[]
  /** The caller's, which its memory counts for. */
  address: string
  /** That of this process unless given. */
  sending?: SendingBudget
  /** Milliseconds without a byte after which the client is disconnected. */
  stalledMs?: number
}

const sendingOfProcess = sendingBudget()
const mostStalledMs = 60_000

/**
 * Sends a file whose bytes never change under its address: HEAD, single ranges with If-Range, 304, 416. Multiple
 * ranges get the whole file, which RFC 9110 14.2 allows. Resolves when the last byte was handed to the socket or the
 * client has disconnected; never rejects for a client that disconnected. One that takes no byte for a minute is disconnected.
 *
 * @throws Problem `unavailable` if too many clients do not take their bytes
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: OpenBlob,
  { tag, headers, parts, address, sending = sendingOfProcess, stalledMs = mostStalledMs }: SendOptions,
): Promise<void> {
  const modified = parts ? undefined : new Date(Math.floor(file.modifiedAt.getTime() / 1000) * 1000)
  const size = parts ? parts.reduce((sum, part) => sum + bytesOf(part), 0) : file.bytes
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
  const sent = parts ? partsBetween(parts, start, end + 1) : [{ from: start, to: end + 1 }]
  const isHead = request.method === 'HEAD'
  const slot = isHead
    ? undefined
    : sending.enter(address, bytesInFlight(file, length), () => response.destroy())
  request.socket.setTimeout(stalledMs)
  try {
    // Before the head is sent: if the bytes cannot be read, the answer can still say so.
    const stretch = isHead || file.handle ? undefined : sent.find((part) => 'from' in part)
    const stream = stretch && (await file.read(stretch.from, stretch.to - 1))
    response.writeHead(plan.status, {
      ...common,
      'content-length': length,
      ...(plan.status === 206 && { 'content-range': `bytes ${start}-${end}/${size}` }),
    })
    if (!slot || length === 0) return void response.end()
    await sendParts(response, file, sent, { stream, slot, isCrowded: sending.isCrowded() })
    await closed(response)
  } finally {
    slot?.leave()
  }
}

/** Resolves when the last byte was handed to the system, or the client is gone. */
function closed(response: ServerResponse): Promise<unknown> {
  if (response.writableFinished || response.destroyed) return Promise.resolve()
  return new Promise((resolve) => response.once('finish', resolve).once('close', resolve))
}

const bytesOf = (part: SentPart): number => ('from' in part ? part.to - part.from : part.length)

/** The pieces of the parts between two positions of the whole. */
function partsBetween(parts: readonly SentPart[], start: number, end: number): SentPart[] {
  const found: SentPart[] = []
  let at = 0
  for (const part of parts) {
    const first = Math.max(0, start - at)
    const last = Math.min(bytesOf(part), end - at)
    at += bytesOf(part)
    if (first >= last) continue
    found.push(
      'from' in part ? { from: part.from + first, to: part.from + last } : part.subarray(first, last),
    )
  }
  return found
}

interface Sending {
  /** The bytes of the first stretch, if the file is not on a disk of this machine. */
  readonly stream: Readable | undefined
  readonly slot: SendingSlot
  readonly isCrowded: boolean
}

async function sendParts(
  response: ServerResponse,
  file: OpenBlob,
  parts: readonly SentPart[],
  sending: Sending,
): Promise<void> {
  let opened = sending.stream
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1
    if (response.destroyed) return void opened?.destroy()
    if (!('from' in part)) await sendOther(response, part, isLast)
    else if (isOnDisk(file)) await sendBytes(response, file, { ...part, isLast }, sending)
    else {
      await sendStream(response, opened ?? (await laterStream(response, file, part)), isLast, sending.slot)
      opened = undefined
    }
  }
}

/** If its bytes cannot be read, the answer is broken off: its head was sent. */
async function laterStream(
  response: ServerResponse,
  file: OpenBlob,
  { from, to }: { from: number; to: number },
): Promise<Readable> {
  try {
    return await file.read(from, to - 1)
  } catch (error) {
    response.destroy()
    throw new Error('The rest of a file could not be read.', { cause: error })
  }
}

/** Resolves when the socket wants more. */
function sendOther(response: ServerResponse, bytes: Uint8Array, isLast: boolean): Promise<void> {
  if (isLast) {
    response.end(bytes)
    return Promise.resolve()
  }
  return response.write(bytes) ? Promise.resolve() : drained(response)
}

/** Breaks the answer off if the stream fails: the client sees that the body is incomplete. */
async function sendStream(
  response: ServerResponse,
  stream: Readable,
  isLast: boolean,
  slot: SendingSlot,
): Promise<void> {
  stream.on('data', () => slot.progressed())
  stream.pause()
  try {
    if (isLast) return await pipeline(stream, response)
    for await (const bytes of stream) {
      if (response.destroyed) return
      await sendOther(response, bytes as Buffer, false)
    }
  } catch (error) {
    response.destroy()
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

/** Resolves when the socket wants more, or is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go)
    response.on('close', go)
  })
}
