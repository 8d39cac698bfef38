import { FileRefusal, type FileChanges, type FileFacts, type OpenedFile } from './ssh-files.ts'

/** Bytes a client may have acknowledged before they are written; and those it may send unacknowledged. */
const acknowledgedAhead = 4 * 1024 * 1024
const heldAtMost = 32 * 1024 * 1024
const writtenAtOnce = 512 * 1024
const readAtOnce = 256 * 1024
const readsAtOnce = 1024

type Reply = (failure: Error | undefined) => void

/**
 * The order of one open file. Writes go out in the order they came, adjacent ones together, and are acknowledged in
 * that order: scp keeps a file only as far as it was acknowledged without a gap. A write that fails after it was
 * acknowledged fails the next ones and `close`. Reads run side by side and answer in order.
 */
export class OrderedFile {
  readonly #file: OpenedFile
  #pieces: { position: number; data: Buffer }[] = []
  #held = 0
  #writing: Promise<void> | undefined
  #unanswered: Reply[] = []
  #failure: Error | undefined
  #reads = 0
  #lastRead: Promise<unknown> = Promise.resolve()

  constructor(file: OpenedFile) {
    this.#file = file
  }

  /** @throws FileRefusal where the client sends on and on without waiting for an answer */
  write(position: number, data: Buffer, reply: Reply): void {
    // At once: not every client hears how its CLOSE went.
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

  async read(position: number, length: number, reply: (data: Buffer | Error) => void): Promise<void> {
    if (this.#reads >= readsAtOnce) return reply(new FileRefusal('failure', 'Too many unanswered reads.'))
    this.#reads += 1
    await this.#written()
    const before = this.#lastRead
    const reading = this.#file.read(position, Math.min(length, readAtOnce)).catch((error: Error) => error)
    this.#lastRead = Promise.all([before, reading])
    await before
    const data = await reading
    this.#reads -= 1
    reply(data)
  }

  async facts(): Promise<FileFacts> {
    await this.#written()
    return this.#file.facts()
  }

  async change(changes: FileChanges): Promise<void> {
    await this.#written()
    return this.#file.change(changes)
  }

  /** @throws what a write that was acknowledged before failed with */
  async close(clean: boolean): Promise<void> {
    await this.#written()
    await this.#lastRead
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
