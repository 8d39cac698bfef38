import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { partsBetween, type ZipLayout } from './zip.ts'

/**
 * Writes a range of an archive, `end` included, in constant memory: two buffers, one is filled while the other is written.
 * Does not end the target; resolves when it has taken the last byte.
 *
 * @throws when a file is missing or shorter than announced, or the target was closed
 */
export async function writeZip(
  layout: ZipLayout,
  target: Writable,
  { start = 0, end = layout.size - 1 } = {},
): Promise<void> {
  const out = turns(target)
  for (const { part, from, to } of partsBetween(layout, start, end)) {
    if ('content' in part.source) await out.write(part.source.content.subarray(from, to + 1))
    else await writeFile(part.source.file, from, to, out)
  }
  await out.done()
}

async function writeFile(file: string, from: number, to: number, out: Turns): Promise<void> {
  const handle = await open(file, 'r')
  try {
    let position = from
    while (position <= to) {
      const buffer = await out.buffer()
      const wanted = Math.min(buffer.length, to - position + 1)
      const { bytesRead } = await handle.read(buffer, 0, wanted, position)
      // The length is announced: breaking off tells the client that the archive is incomplete.
      if (bytesRead === 0) throw new Error(`${file} is shorter than it was.`)
      out.send(buffer, bytesRead)
      position += bytesRead
    }
  } finally {
    await handle.close()
  }
}

interface Turns {
  /** A buffer that is free to be filled. */
  buffer(): Promise<Buffer>
  /** Writes what was read into it. */
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
