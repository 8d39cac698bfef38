import { open, type FileHandle } from 'node:fs/promises'
import {
  clearBytesOf,
  isAgeFile,
  longestHead,
  openAgeFile,
  openPiece,
  pieceBytes,
  piecesOf,
  placeOfPiece,
  type AgeFile,
} from './age.ts'

/** An encrypted file, read at any place. */
export interface AgeReader {
  /** Bytes in the clear. */
  readonly bytes: number
  /** The bytes of a range, `end` excluded. @throws Error where a piece is not what was sealed */
  read(start: number, end: number): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/** A file that is encrypted, and no passphrase or a wrong one was given. */
export class PassphraseNeeded extends Error {
  override readonly name = 'PassphraseNeeded'
}

/**
 * Opens a file for reading where it is encrypted; undefined where it is not.
 *
 * @throws PassphraseNeeded
 */
export async function readAge(file: string, passphrase: string | undefined): Promise<AgeReader | undefined> {
  const handle = await open(file, 'r')
  try {
    const start = Buffer.alloc(longestHead)
    const { bytesRead } = await handle.read(start, 0, longestHead, 0)
    if (!isAgeFile(start)) {
      await handle.close()
      return undefined
    }
    const opened =
      passphrase === undefined ? undefined : await openAgeFile(passphrase, start.subarray(0, bytesRead))
    if (!opened) throw new PassphraseNeeded(passphrase === undefined ? 'none' : 'wrong')
    return reader(handle, opened, (await handle.stat()).size)
  } catch (error) {
    await handle.close()
    throw error
  }
}

function reader(handle: FileHandle, file: AgeFile, size: number): AgeReader {
  const bytes = clearBytesOf(file, size)
  let known: { index: number; clear: Buffer } | undefined
  async function piece(index: number): Promise<Buffer> {
    if (known?.index === index) return known.clear
    const place = placeOfPiece(file, index, bytes)
    const sealed = Buffer.alloc(Math.max(0, place.bytes))
    const { bytesRead } = await handle.read(sealed, 0, sealed.length, place.at)
    const clear = openPiece(file, index, index === piecesOf(bytes) - 1, sealed.subarray(0, bytesRead))
    if (!clear) throw new Error('the encrypted file is cut short or damaged')
    known = { index, clear }
    return clear
  }
  return {
    bytes,
    async *read(start, end) {
      for (let at = start; at < end;) {
        const index = Math.floor(at / pieceBytes)
        const from = at - index * pieceBytes
        const part = (await piece(index)).subarray(from, from + end - at)
        if (part.length === 0) throw new Error('the encrypted file is cut short or damaged')
        yield part
        at += part.length
      }
    },
    close: () => handle.close(),
  }
}
