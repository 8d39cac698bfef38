import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { MonoPlan } from '@fellowship/sound/measure/mono'
import type { PcmChunk } from '@fellowship/sound/read/pcm'
import { makeSmallCopy, type MeasuredCopy } from '@fellowship/sound/write/small-copy'
import { createMp3Encoder } from 'wasm-media-encoders'
import { pcmStream } from './pcm-stream.ts'

/** A copy that was written. */
export interface SmallCopy extends MeasuredCopy {
  readonly bytes: number
  readonly sha256: string
  readonly crc32: number
}

/**
 * Makes a small copy of a recording in a file.
 *
 * @param chunks the recording from its start, each time it is called
 * @param target an existing file
 */
export async function writeSmallCopy(
  chunks: () => AsyncIterable<PcmChunk>,
  plan: MonoPlan,
  target: string,
): Promise<SmallCopy> {
  await using file = await open(target, 'r+')
  const measured = await makeSmallCopy(
    {
      chunks,
      encoder: createMp3Encoder,
      write: (bytes, at) => file.write(bytes, 0, bytes.length, at),
      async finish(bytes) {
        // A previous round may have written more bytes.
        await file.truncate(bytes)
        await file.datasync()
      },
      copy: () => pcmStream(target, 'mp3'),
    },
    plan,
  )
  return { ...measured, ...(await hashesOf(target)) }
}

async function hashesOf(path: string): Promise<Pick<SmallCopy, 'bytes' | 'sha256' | 'crc32'>> {
  await using handle = await open(path, 'r')
  const hash = createHash('sha256')
  let crc = 0
  let bytes = 0
  for await (const chunk of handle.createReadStream()) {
    hash.update(chunk as Buffer)
    crc = crc32(chunk as Buffer, crc)
    bytes += (chunk as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex'), crc32: crc >>> 0 }
}
