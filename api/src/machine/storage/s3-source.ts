import { open, type FileHandle } from 'node:fs/promises'

/** Where the bytes of an object come from. */
export interface S3Source {
  readonly bytes: number
  /** Fills the buffer from this position on; throws where there are fewer bytes. */
  read(buffer: Uint8Array<ArrayBuffer>, position: number): Promise<void>
}

/** Runs `work` with a local file as a source. */
export async function withFileSource<T>(file: string, work: (source: S3Source) => Promise<T>): Promise<T> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    return await work({ bytes: size, read: (buffer, position) => fill(handle, buffer, position) })
  } finally {
    await handle.close()
  }
}

async function fill(handle: FileHandle, buffer: Uint8Array, position: number): Promise<void> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) throw new Error('The file is shorter than it was.')
    filled += bytesRead
  }
}
