import { read as readAt } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { OpenBlob } from '../machine/storage/blob-store.ts'
import { readBlocks } from './read-blocks.ts'
import type { SendingSlot } from './sending-budget.ts'

type FileOnDisk = OpenBlob & { readonly handle: FileHandle }

export const isOnDisk = (file: OpenBlob): file is FileOnDisk => file.handle !== undefined

/** The bytes in memory of a response that begins to send so many. */
export function bytesInFlight(file: OpenBlob, length: number): number {
  if (!isOnDisk(file)) return streamBytes
  return length <= smallRange ? length : small.bytes
}

/** What a response out of a bucket holds: a chunk, and those that the connection has read ahead. */
const streamBytes = 128 * 1024

/**
 * Positional reads into pooled buffers. A stream per range costs several times as much, by its set-up and by the memory it
 * allocates. Pieces are small until the client proves to be fast: those of a stalled one stay in memory.
 *
 * @param part.isLast whether to end the response afterwards
 * @param sending.isCrowded whether to hold as little memory as possible
 */
export async function sendBytes(
  response: ServerResponse,
  file: FileOnDisk,
  { from: start, to: end, isLast }: { from: number; to: number; isLast: boolean },
  { slot, isCrowded }: { slot: SendingSlot; isCrowded: boolean },
): Promise<void> {
  const length = end - start
  if (isLast && length <= smallRange) return await sendFromBlocks(response, file, { start, end, isCrowded })
  let position = start
  let left = length
  let size = 0
  while (left > 0 && !response.destroyed) {
    const pool = isCrowded ? smallest : pools[size]!
    const buffer = pool.take()
    const bytesRead = await read(file.handle, buffer, Math.min(pool.bytes, left), position)
    // The file is shorter than announced: breaking off shows the client that the body is incomplete.
    if (bytesRead === 0) return void response.destroy()
    position += bytesRead
    left -= bytesRead
    const begun = performance.now()
    await write(response, buffer.subarray(0, bytesRead), () => pool.release(buffer))
    slot.progressed()
    const isFast = performance.now() - begun < fastMs
    const next = isFast && !isCrowded ? Math.min(size + 1, pools.length - 1) : 0
    if (next !== size && slot.resize(pools[next]!.bytes)) size = next
  }
  if (isLast && !response.destroyed) response.end()
}

/** A client that takes a piece within this time gets a larger one next. */
const fastMs = 250

/** Ranges up to this length are answered out of blocks in memory, two of them at most. */
const smallRange = 128 * 1024
const blocks = readBlocks()

async function sendFromBlocks(
  response: ServerResponse,
  { handle, bytes }: FileOnDisk,
  { start, end, isCrowded }: { start: number; end: number; isCrowded: boolean },
): Promise<void> {
  // A part that is not sent yet keeps its whole block in memory.
  const own = (part: Buffer) => (isCrowded ? Buffer.from(part) : part)
  const { blockBytes } = blocks
  const block = (index: number) => blocks.at(handle, index, Math.min(blockBytes, bytes - index * blockBytes))
  const index = Math.floor(start / blockBytes)
  const from = start - index * blockBytes
  const first = block(index)
  const content = first instanceof Buffer ? first : await first
  const part = own(content.subarray(from, Math.min(blockBytes, from + end - start)))
  const left = end - start - part.length
  if (left === 0) return void response.end(part)
  if (from + part.length < blockBytes) return void response.destroy()
  const second = block(index + 1)
  const rest = own((second instanceof Buffer ? second : await second).subarray(0, left))
  // The file is shorter than announced: breaking off shows the client that the body is incomplete.
  if (rest.length < left) return void response.destroy()
  response.cork()
  response.write(part)
  response.end(rest)
}

/** fs.read without FileHandle's reference counting: the file stays open while it is sent. */
const read = ({ fd }: FileHandle, buffer: Buffer, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    readAt(fd, buffer, 0, length, position, (error, bytesRead) =>
      error ? reject(error) : resolve(bytesRead),
    )
  })

/** Resolves when the system has taken the bytes, or the client is gone; `release` is called in the first case. */
function write(response: ServerResponse, bytes: Buffer, release: () => void): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('close', go)
      resolve()
    }
    response.on('close', go)
    response.write(bytes, (error) => {
      if (!error) release()
      go()
    })
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

/** Pieces while many responses are in flight. */
const smallest = buffersOf(16 * 1024, 128)
const small = buffersOf(32 * 1024, 128)

/** From the first piece to those of a fast client. */
const pools = [small, buffersOf(256 * 1024, 16), buffersOf(1024 * 1024, 16)]
