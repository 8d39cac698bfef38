import { open, type FileHandle } from 'node:fs/promises'
import { Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ageFileBytes,
  clearBytesOf,
  isAgeFile,
  longestHead,
  openAgeFile,
  openPiece,
  pieceBytes,
  piecesOf,
  placeOfPiece,
  sealPiece,
  type AgeFile,
} from './age.ts'

/** An encrypted file, read at any place. */
export interface AgeReader {
  /** Bytes in the clear. */
  readonly bytes: number
  /** The bytes of a range, `end` excluded. @throws Error if a piece differs from the sealed one */
  read(start: number, end: number): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/** A file that is encrypted, and no passphrase or a wrong one was given. */
export class PassphraseNeeded extends Error {
  override readonly name = 'PassphraseNeeded'
}

/**
 * Opens a file for reading if it is encrypted; else undefined.
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

/**
 * Writes a range of an encrypted file, `end` included, in constant memory. Does not end the target.
 *
 * @param write writes a range of the bytes in the clear, `end` included
 */
export async function writeAge(
  file: AgeFile,
  clearBytes: number,
  write: (target: Writable, range: { start: number; end: number }) => Promise<void>,
  target: Writable,
  { start = 0, end = ageFileBytes(file, clearBytes) - 1 } = {},
): Promise<void> {
  const { head } = file
  if (start < head.length) await written(target, head.subarray(start, Math.min(head.length, end + 1)))
  if (end < head.length) return
  const sealedPiece = placeOfPiece(file, 1, 2 * pieceBytes).at - head.length
  const first = Math.floor(Math.max(0, start - head.length) / sealedPiece)
  const last = Math.floor((end - head.length) / sealedPiece)
  const sealing = sealer(file, { first, clearBytes, start, end })
  const clear = { start: first * pieceBytes, end: Math.min((last + 1) * pieceBytes, clearBytes) - 1 }
  const taken = pipeline(sealing, target, { end: false })
  taken.catch(() => undefined)
  try {
    await write(sealing, clear)
    sealing.end()
  } catch (error) {
    sealing.destroy(error as Error)
    throw error
  }
  await taken
}

/** Seals the bytes from piece `first` on, and passes on those between `start` and `end` of the file. */
function sealer(
  file: AgeFile,
  { first, clearBytes, start, end }: { first: number; clearBytes: number; start: number; end: number },
): Transform {
  let index = first
  let rest: Buffer = Buffer.alloc(0)
  const sealed = (piece: Buffer): Buffer => {
    const { at } = placeOfPiece(file, index, clearBytes)
    const bytes = sealPiece(file, index, index === piecesOf(clearBytes) - 1, piece)
    index += 1
    return bytes.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      for (; bytes.length >= pieceBytes; bytes = bytes.subarray(pieceBytes)) {
        this.push(sealed(bytes.subarray(0, pieceBytes)))
      }
      // The writer uses its buffer again once this is taken.
      rest = Buffer.from(bytes)
      done()
    },
    flush(done) {
      if (rest.length > 0) this.push(sealed(rest))
      done()
    },
  })
}

const written = (target: Writable, bytes: Buffer) =>
  new Promise<void>((resolve, reject) => {
    target.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
