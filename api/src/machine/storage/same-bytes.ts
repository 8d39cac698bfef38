import { open, type FileHandle } from 'node:fs/promises'
import type { OpenBlob } from './blob-store.ts'

/** Whether a stored file has the bytes of a local one: compares their sizes first, then their contents in constant memory. */
export async function hasBytesOf(stored: OpenBlob, path: string): Promise<boolean> {
  const local = await open(path, 'r')
  try {
    const { size } = await local.stat()
    if (stored.bytes !== size) return false
    return stored.handle
      ? await sameAsHandle(local, stored.handle, size)
      : await sameAsStream(local, stored, size)
  } finally {
    await local.close()
  }
}

async function sameAsHandle(first: FileHandle, second: FileHandle, size: number): Promise<boolean> {
  const pieces = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)] as const
  for (let at = 0; at < size;) {
    const wanted = Math.min(pieceBytes, size - at)
    const [a, b] = await Promise.all([
      readAll(first, pieces[0], wanted, at),
      readAll(second, pieces[1], wanted, at),
    ])
    if (a !== wanted || b !== wanted) return false
    if (!pieces[0].subarray(0, wanted).equals(pieces[1].subarray(0, wanted))) return false
    at += wanted
  }
  return true
}

async function sameAsStream(local: FileHandle, stored: OpenBlob, size: number): Promise<boolean> {
  let at = 0
  for await (const chunk of await stored.read(0, size - 1)) {
    const bytes = chunk as Buffer
    const mine = Buffer.allocUnsafe(bytes.length)
    if ((await readAll(local, mine, bytes.length, at)) !== bytes.length || !mine.equals(bytes)) return false
    at += bytes.length
  }
  return at === size
}

/** Reads until the piece is full or the file ends; returns the bytes read. */
async function readAll(handle: FileHandle, piece: Buffer, wanted: number, at: number): Promise<number> {
  let read = 0
  while (read < wanted) {
    const { bytesRead } = await handle.read(piece, read, wanted - read, at + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return read
}

const pieceBytes = 1024 * 1024
