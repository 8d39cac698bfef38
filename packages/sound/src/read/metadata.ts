import { isPlainDate } from '@fellowship/schema/dates'
import type { TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { isRecorderName } from '@fellowship/schema/uploads/parse-filename'
import { parseFromTokenizer, type IAudioMetadata } from 'music-metadata'
import { AbstractTokenizer, EndOfStreamError, type IFileInfo, type IReadChunkOptions } from 'strtok3'
import { blobBytes, type BlobLike, type ByteWindow, type RecordingBytes } from './bytes.ts'

/** Title, speaker and date from the tags of a recording; a field is absent if its tag is. */
export type RecordingTags = Partial<Pick<TeachingText, 'title' | 'speaker' | 'date'>>

/**
 * Reads title, artist and date from ID3, MP4 and WAV tags. Default names of recorders ('New Recording 12') are skipped, and
 * so is a date that is only a year. Never rejects: if no tags can be read, the result is empty.
 */
export async function readTags(file: BlobLike): Promise<RecordingTags> {
  const { common } = await parse(blobBytes(file), file.type).catch(() => ({
    common: { title: undefined, artist: undefined, date: undefined },
  }))
  const date = common.date?.slice(0, 10)
  return {
    ...(isSaid(common.title) && { title: common.title.trim() }),
    ...(isSaid(common.artist) && { speaker: common.artist.trim() }),
    ...(date !== undefined && isPlainDate(date) && { date }),
  }
}

const isSaid = (text: string | undefined): text is string =>
  text !== undefined && /\p{L}{2}/u.test(text) && !isRecorderName(text) && !unknown.test(text.trim())

const unknown = /^(?:unknown(?: artist)?|various(?: artists)?|untitled|artist|title)$/i

/**
 * The format and the tags of a recording, without its pictures.
 *
 * @throws Error for damaged bytes
 */
async function parse(bytes: ReadBytes, mimeType: string): Promise<IAudioMetadata> {
  const tokenizer = new ByteTokenizer(bytes, { mimeType })
  try {
    return await parseFromTokenizer(tokenizer, { skipCovers: true, duration: false })
  } finally {
    await tokenizer.close()
  }
}

type ReadBytes = RecordingBytes | ByteWindow

/**
 * The tokenizer of file-type and music-metadata over any bytes. Their own opens the file in a promise: if the thread is
 * terminated meanwhile, the file stays open.
 */
class ByteTokenizer extends AbstractTokenizer {
  override fileInfo: IFileInfo
  readonly #bytes: ReadBytes

  constructor(bytes: ReadBytes, fileInfo: IFileInfo = {}) {
    super()
    this.#bytes = bytes
    this.fileInfo = { ...fileInfo, size: bytes.size }
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
      const part = await this.#bytes.read(position + filled, Math.min(length - filled, pieceBytes))
      if (part.length === 0) break
      bytes.set(part, filled)
      filled += part.length
    }
    if (moves) this.position = position + filled
    if (filled < length && !mayBeLess) throw new EndOfStreamError()
    return filled
  }
}

/** Smaller than the buffer of a window. */
const pieceBytes = 1 << 16
