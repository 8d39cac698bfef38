import { Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ageFileBytes, pieceBytes, piecesOf, placeOfPiece, sealPiece, type AgeFile } from './age.ts'

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

/** Seals the bytes from piece `first` on, and lets those through that are between `start` and `end` of the file. */
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
