import type { FileHandle } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import type { OpenBlob } from '../storage/blob-store.ts'
import { partsBetween, type CrcWatch, type ZipLayout } from './zip.ts'

/**
 * Writes a range of an archive, `end` included, in constant memory: two buffers, one is filled while the other is written.
 * Does not end the target; resolves when it has taken the last byte.
 *
 * @param watch sees the bytes of stored files
 * @throws when a file is missing or shorter than announced, or the target was closed
 */
export async function writeZip(
  layout: ZipLayout,
  target: Writable,
  { start = 0, end = layout.size - 1 } = {},
  watch?: CrcWatch,
): Promise<void> {
  const out = turns(target)
  for (const { part, from, to } of partsBetween(layout, start, end)) {
    const { entry } = part
    const see = (at: number, bytes: Buffer) => entry && watch?.read(entry, at, bytes)
    if ('content' in part.source) await out.write(part.source.content.subarray(from, to + 1))
    else await writeStored(part.source.open, { from, to, see }, out)
  }
  await out.done()
}

/** A range of a file; `see` takes its bytes before they are sent. */
interface Wanted {
  from: number
  to: number
  see: (at: number, bytes: Buffer) => void
}

async function writeStored(
  open: () => Promise<OpenBlob | undefined>,
  wanted: Wanted,
  out: Turns,
): Promise<void> {
  await using file = await open()
  if (!file) throw new Error('A file of this archive was removed meanwhile.')
  const written = file.handle
    ? await writeFromDisk(file.handle, wanted, out)
    : await writeFromAfar(file, wanted, out)
  // The length is announced: breaking off shows the client that the archive is incomplete.
  if (written < wanted.to - wanted.from + 1) throw new Error(`${file.name} is shorter than it was.`)
}

async function writeFromDisk(handle: FileHandle, { from, to, see }: Wanted, out: Turns): Promise<number> {
  let position = from
  while (position <= to) {
    const buffer = await out.buffer()
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - position + 1), position)
    if (bytesRead === 0) break
    see(position, buffer.subarray(0, bytesRead))
    out.send(buffer, bytesRead)
    position += bytesRead
  }
  return position - from
}

async function writeFromAfar(file: OpenBlob, { from, to, see }: Wanted, out: Turns): Promise<number> {
  let written = 0
  for await (const chunk of await file.read(from, to)) {
    const bytes = chunk as Buffer
    see(from + written, bytes)
    await out.write(bytes)
    written += bytes.length
  }
  return written
}

interface Turns {
  /** A buffer that is free to be filled. */
  buffer(): Promise<Buffer>
  /** Writes the bytes read into it. */
  send(buffer: Buffer, bytes: number): void
  /** Bytes that must not be overwritten. */
  write(bytes: Buffer): Promise<void>
  done(): Promise<void>
}

const bufferBytes = 1024 * 1024

function turns(target: Writable): Turns {
  const idle: Buffer[] = [Buffer.allocUnsafeSlow(bufferBytes), Buffer.allocUnsafeSlow(bufferBytes)]
  let failure: Error | undefined
  let wake = () => {}
  let underway = 0
  const fail = (error?: Error | null) => {
    failure ??= error ?? new Error('The target was closed.')
    wake()
  }
  target.once('close', fail)
  target.once('error', fail)
  const until = async (ready: () => boolean) => {
    while (!ready() && !failure) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    if (failure) throw failure
  }
  const send = (bytes: Buffer, after: () => void) => {
    underway += 1
    target.write(bytes, (error) => {
      underway -= 1
      if (error) return fail(error)
      after()
      wake()
    })
  }
  return {
    async buffer() {
      await until(() => idle.length > 0)
      return idle.pop()!
    },
    send: (buffer, bytes) => send(buffer.subarray(0, bytes), () => idle.push(buffer)),
    async write(bytes) {
      await until(() => underway < 2)
      send(bytes, () => undefined)
    },
    async done() {
      await until(() => underway === 0)
      target.off('close', fail)
      target.off('error', fail)
    },
  }
}
