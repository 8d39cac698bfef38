import { open, type FileHandle } from 'node:fs/promises'

/** Whether two files hold the same bytes: compares their sizes first, then their contents in constant memory. */
export async function haveSameBytes(one: string, other: string): Promise<boolean> {
  const first = await open(one, 'r')
  try {
    const second = await open(other, 'r')
    try {
      return await compare(first, second)
    } finally {
      await second.close()
    }
  } finally {
    await first.close()
  }
}

async function compare(first: FileHandle, second: FileHandle): Promise<boolean> {
  const { size } = await first.stat()
  if ((await second.stat()).size !== size) return false
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
