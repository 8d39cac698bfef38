import { AbstractTokenizer, EndOfStreamError, type IFileInfo, type IReadChunkOptions } from 'strtok3'
import type { FileWindow } from './file-window.ts'

/**
 * What file-type and music-metadata read through, over a file that is open already. Their own opens the file anew by a
 * promise: a thread that is ended meanwhile would leave it open for good.
 */
export class WindowTokenizer extends AbstractTokenizer {
  override fileInfo: IFileInfo
  readonly #file: FileWindow

  constructor(file: FileWindow, fileInfo: IFileInfo = {}) {
    super()
    this.#file = file
    this.fileInfo = { ...fileInfo, size: file.size }
  }

  override supportsRandomAccess(): boolean {
    return true
  }

  setPosition(position: number): void {
    this.validateLength(position, 'position')
    this.position = position
  }

  override readBuffer(bytes: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    return this.#read(bytes, options, true)
  }

  override peekBuffer(bytes: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    return this.#read(bytes, options, false)
  }

  async #read(bytes: Uint8Array, options: IReadChunkOptions | undefined, moves: boolean): Promise<number> {
    const { length, position, mayBeLess } = this.normalizeOptions(bytes, options)
    let filled = 0
    while (filled < length) {
      const part = this.#file.read(position + filled, Math.min(length - filled, pieceBytes))
      if (part.length === 0) break
      bytes.set(part, filled)
      filled += part.length
    }
    if (moves) this.position = position + filled
    if (filled < length && !mayBeLess) throw new EndOfStreamError()
    return filled
  }
}

/** Less than a window holds. */
const pieceBytes = 1 << 16
