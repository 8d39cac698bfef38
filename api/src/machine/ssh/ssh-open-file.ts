import type { FileEntry } from 'ssh2'
import { FileRefusal, type FileChanges, type FileFacts, type OpenedFile } from './ssh-files.ts'

/** Bytes acknowledged before they are written, and bytes a client may send unacknowledged. */
const acknowledgedAhead = 4 * 1024 * 1024
const heldAtMost = 32 * 1024 * 1024
const writtenAtOnce = 512 * 1024
/** Small enough that encrypting it does not block the event loop for long. */
const readAtOnce = 256 * 1024
const unansweredReads = 1024

type Reply = (failure: Error | undefined) => void
/** @param data reused after the call */
type ReadReply = (data: Buffer | Error) => void
interface ReadRequest {
  position: number
  length: number
  reply: ReadReply
}

/**
 * Orders the requests of one open file. Writes run in the order they came, adjacent ones joined, and are acknowledged in
 * that order: scp resumes a file only up to the first gap in the acknowledgements. A write that fails after it was
 * acknowledged fails the following ones and `close`. Reads are answered in order too, adjacent ones from one disk read,
 * while the next read is prefetched.
 */
export class OrderedFile {
  readonly #file: OpenedFile
  #pieces: { position: number; data: Buffer }[] = []
  #held = 0
  #writing: Promise<void> | undefined
  #unanswered: Reply[] = []
  #failure: Error | undefined
  #reads: ReadRequest[] = []
  #reading: Promise<void> | undefined
  /** Reused read buffers: allocating one per read costs more than reading. */
  #blocks: Buffer[] = []
  readonly #mayReply: () => Promise<boolean>

  /** @param mayReply waits while the client is slower than the answers; false once the session has ended */
  constructor(file: OpenedFile, mayReply: () => Promise<boolean>) {
    this.#file = file
    this.#mayReply = mayReply
  }

  /** @throws FileRefusal if too many bytes are unacknowledged */
  write(position: number, data: Buffer, reply: Reply): void {
    // Refused at once: not every client reads the answer to its CLOSE.
    this.#failure ??= this.#file.refusalOf(position + data.length)
    if (this.#failure) {
      this.#acknowledge()
      return reply(this.#failure)
    }
    if (this.#held + data.length > heldAtMost) throw new FileRefusal('failure', 'Too many unanswered writes.')
    this.#pieces.push({ position, data })
    this.#held += data.length
    this.#unanswered.push(reply)
    this.#acknowledge()
    this.#writing ??= this.#writeAll()
  }

  read(position: number, length: number, reply: ReadReply): void {
    if (this.#reads.length >= unansweredReads) {
      throw new FileRefusal('failure', 'Too many unanswered reads.')
    }
    this.#reads.push({ position, length: Math.min(length, readAtOnce), reply })
    this.#reading ??= this.#readAll()
  }

  async facts(): Promise<FileFacts> {
    await this.#written()
    return this.#file.facts()
  }

  async change(changes: FileChanges): Promise<void> {
    await this.#written()
    return this.#file.change(changes)
  }

  /** @throws the error of a write that was already acknowledged */
  async close(clean: boolean): Promise<void> {
    await this.#written()
    await this.#reading
    await this.#file.close(clean && this.#failure === undefined)
    if (this.#failure) throw this.#failure
  }

  async #written(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#pieces.length > 0) {
      const { position, pieces, bytes } = this.#nextRun()
      try {
        if (!this.#failure) await this.#file.write(position, pieces)
      } catch (error) {
        this.#failure = error as Error
      }
      this.#held -= bytes
      this.#acknowledge()
    }
    this.#writing = undefined
  }

  async #readAll(): Promise<void> {
    let next: Promise<() => void> | undefined
    while (next || this.#reads.length > 0) {
      const answer: () => void = await (next ?? this.#readNext())
      next = this.#reads.length > 0 ? this.#readNext() : undefined
      answer()
    }
    this.#blocks = []
    this.#reading = undefined
  }

  /** Reads for the next requests; returns the function that answers them. */
  async #readNext(): Promise<() => void> {
    // Awaited first, so that requests of one turn of the event loop are joined.
    if (!(await this.#mayReply())) this.#reads = []
    await this.#written()
    const { count, bytes } = adjacent(this.#reads)
    const [first, ...others] = this.#reads.splice(0, count)
    if (!first) return () => undefined
    const block = this.#blocks.pop() ?? Buffer.allocUnsafe(readAtOnce)
    const read = await this.#file
      .read(first.position, block.subarray(0, bytes))
      .catch((error: Error) => error)
    return () => {
      let at = 0
      for (const { length, reply } of [first, ...others]) {
        reply(read instanceof Error ? read : block.subarray(Math.min(at, read), Math.min(at + length, read)))
        at += length
      }
      this.#blocks.push(block)
    }
  }

  #nextRun(): { position: number; pieces: Buffer[]; bytes: number } {
    const { position } = this.#pieces[0]!
    let count = 0
    let bytes = 0
    for (const piece of this.#pieces) {
      if (piece.position !== position + bytes || (count > 0 && bytes + piece.data.length > writtenAtOnce))
        break
      count += 1
      bytes += piece.data.length
    }
    return { position, pieces: this.#pieces.splice(0, count).map(({ data }) => data), bytes }
  }

  #acknowledge(): void {
    if (this.#failure) {
      for (const reply of this.#unanswered.splice(0)) reply(this.#failure)
      return
    }
    if (this.#held > acknowledgedAhead) return
    for (const reply of this.#unanswered.splice(0)) reply(undefined)
  }
}

/** How many of the first requests one disk read can answer. */
function adjacent(requests: readonly ReadRequest[]): { count: number; bytes: number } {
  let count = 0
  let bytes = 0
  for (const { position, length } of requests) {
    if (count > 0 && (position !== requests[0]!.position + bytes || bytes + length > readAtOnce)) break
    count += 1
    bytes += length
  }
  return { count, bytes }
}

/** An open file, or an open folder with the entries not yet read. */
type Handle = { file: OrderedFile } | { left: FileEntry[] }

export interface OpenHandles {
  /** @throws FileRefusal if too many are open */
  assertRoom(): void
  /** Returns the name by which the client refers to it. */
  add(handle: Handle): Buffer
  /** @throws FileRefusal if the name is no open file */
  file(name: Buffer): OrderedFile
  /** @throws FileRefusal if the name is no open folder */
  folder(name: Buffer): FileEntry[]
  /** Returns the file to be closed; undefined for a folder. */
  remove(name: Buffer): OrderedFile | undefined
  /** Removes all; returns the files to be closed. */
  clear(): OrderedFile[]
}

/** Room for the handles of all channels. */
export interface HandleRoom {
  isFull(): boolean
  add(handles: number): void
}

export function handleRoom(most: number): HandleRoom {
  let taken = 0
  return {
    isFull: () => taken >= most,
    add(handles) {
      taken += handles
    },
  }
}

/** The files and folders that one channel has open. */
export function openHandles(most: number, room: HandleRoom): OpenHandles {
  const handles = new Map<number, Handle>()
  let last = 0
  return {
    assertRoom() {
      if (handles.size >= most || room.isFull())
        throw new FileRefusal('failure', 'Too many files are open at once.')
    },
    add(handle) {
      const name = Buffer.alloc(4)
      name.writeUInt32BE((last += 1))
      handles.set(last, handle)
      room.add(1)
      return name
    },
    file(name) {
      const handle = handleOf(name)
      if (!('file' in handle)) throw new FileRefusal('failure', 'This is a folder.')
      return handle.file
    },
    folder(name) {
      const handle = handleOf(name)
      if (!('left' in handle)) throw new FileRefusal('failure', 'This is not a folder.')
      return handle.left
    },
    remove(name) {
      const handle = handleOf(name)
      handles.delete(name.readUInt32BE())
      room.add(-1)
      return 'file' in handle ? handle.file : undefined
    },
    clear() {
      const open = [...handles.values()]
      room.add(-open.length)
      handles.clear()
      return open.flatMap((handle) => ('file' in handle ? [handle.file] : []))
    },
  }

  function handleOf(name: Buffer): Handle {
    const handle = name.length === 4 ? handles.get(name.readUInt32BE()) : undefined
    if (!handle) throw new FileRefusal('failure', 'This file is not open.')
    return handle
  }
}
