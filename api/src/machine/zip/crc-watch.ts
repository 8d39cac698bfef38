import { crc32 } from 'node:zlib'
import type { ZipEntry } from './zip.ts'

/** Finds entries whose bytes are not those that their checksum was taken of: their file rotted on the disk. */
export interface CrcWatch {
  /** Takes bytes of an entry as they are read. Ranges that follow one another, or overlap, may each bring a part of it. */
  read(entry: ZipEntry, at: number, bytes: Buffer): void
  /** The damaged entries so far, of those that were read from the first byte to the last. */
  readonly damaged: ReadonlySet<ZipEntry>
}

export function crcWatch(): CrcWatch {
  /** How far the entries in progress were read without a gap, and the checksum up to there. */
  const inProgress = new Map<ZipEntry, { to: number; sum: number }>()
  const damaged = new Set<ZipEntry>()
  return {
    damaged,
    read(entry, at, bytes) {
      const before = inProgress.get(entry) ?? { to: 0, sum: 0 }
      const known = before.to - at
      if (known < 0 || known >= bytes.length) return
      const to = at + bytes.length
      const sum = crc32(bytes.subarray(known), before.sum)
      if (to < entry.bytes) inProgress.set(entry, { to, sum })
      else {
        inProgress.delete(entry)
        if (sum !== entry.crc32) damaged.add(entry)
      }
    },
  }
}
