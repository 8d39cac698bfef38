import { read as readAt } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Blocks of open files, each read once for all requests of ranges inside it. */
export interface ReadBlocks {
  readonly blockBytes: number
  /**
   * The block with this number; shorter than `bytes` if the file is. Handed over at once if it is in memory.
   *
   * @param bytes how many bytes the file holds of it
   */
  at(handle: FileHandle, index: number, bytes: number): Buffer | Promise<Buffer>
}

interface Block {
  readonly of: Map<number, Block>
  readonly index: number
  /** Its bytes, or their arrival. */
  content: Buffer | Promise<Buffer>
}

/**
 * A player that seeks, or reads ahead by small ranges, asks for the same stretch many times: a read for each costs a turn of
 * a thread, which is as much as sending the bytes. Blocks belong to the open file, so another file under the same name has
 * its own.
 *
 * @param most blocks in memory at once; the one used longest ago goes first
 * @param idleMs all are given up when none was asked for in this time
 */
export function readBlocks({ blockBytes = 256 * 1024, most = 192, idleMs = 60_000 } = {}): ReadBlocks {
  const files = new WeakMap<FileHandle, Map<number, Block>>()
  /** In the order of their use. */
  const used = new Set<Block>()
  let asked = false
  let idle: NodeJS.Timeout | undefined

  return {
    blockBytes,
    at(handle, index, bytes) {
      asked = true
      const known = files.get(handle)?.get(index)
      if (known) {
        used.delete(known)
        used.add(known)
        return known.content
      }
      return add(handle, index, bytes)
    },
  }

  function add(handle: FileHandle, index: number, bytes: number): Promise<Buffer> {
    const of = files.get(handle) ?? new Map<number, Block>()
    files.set(handle, of)
    const reading = read(handle, index * blockBytes, bytes)
    const block: Block = { of, index, content: reading }
    of.set(index, block)
    used.add(block)
    if (used.size > most) forget(used.values().next().value!)
    idle ??= setInterval(giveUpUnused, idleMs).unref()
    reading.then(
      (content) => {
        block.content = content
        // A file that is shorter than it was may be whole again at the next look.
        if (content.length < bytes) forget(block)
      },
      () => forget(block),
    )
    return reading
  }

  function forget(block: Block): void {
    used.delete(block)
    if (block.of.get(block.index) === block) block.of.delete(block.index)
  }

  function giveUpUnused(): void {
    if (asked) {
      asked = false
      return
    }
    for (const block of used) forget(block)
    clearInterval(idle)
    idle = undefined
  }
}

/** fs.read without FileHandle's reference counting: the file stays open while it is sent. */
function read({ fd }: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length)
  return new Promise((resolve, reject) => {
    readAt(fd, buffer, 0, length, position, (error, bytesRead) =>
      error ? reject(error) : resolve(buffer.subarray(0, bytesRead)),
    )
  })
}
