import { createReadStream } from 'node:fs'
import { crc32 } from 'node:zlib'

/** The unsigned CRC-32 of a file, for recordings that were stored without one. */
export async function fileCrc32(file: string): Promise<number> {
  let sum = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    sum = crc32(chunk as Buffer, sum)
  }
  return sum
}
