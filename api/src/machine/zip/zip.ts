import { crc32 } from 'node:zlib'
import type { OpenBlob } from '../storage/blob-store.ts'

/**
 * A ZIP archive whose entries are stored as they are, with ZIP64 records if it needs them (APPNOTE.TXT 6.3.10).
 * Sizes and checksums are known beforehand, so the whole layout is known before the first byte is written: the length is
 * exact, and any range can be written on its own.
 */
export interface ZipEntry {
  /** Path inside the archive, with slashes. */
  readonly name: string
  readonly bytes: number
  /** CRC-32, unsigned. */
  readonly crc32: number
  readonly modified: Date
  readonly source: ZipSource
}

/** Bytes in memory, or a stored file, which is opened when it is its turn. */
type ZipSource = { content: Buffer } | { open: () => Promise<OpenBlob | undefined> }

/** A contiguous part of the archive: a header, or the bytes of an entry. */
interface ZipPart {
  /** Its offset in the archive. */
  readonly at: number
  readonly bytes: number
  readonly source: ZipSource
  /** The entry that these are the bytes of. */
  readonly entry?: ZipEntry
}

export interface ZipLayout {
  readonly size: number
  /** In order, without gaps. */
  readonly parts: readonly ZipPart[]
}

/** Plans the layout of an archive. The caller ensures that names are unique. */
export function zipLayout(entries: readonly ZipEntry[]): ZipLayout {
  const parts: ZipPart[] = []
  let at = 0
  const add = (source: ZipSource, bytes: number, entry?: ZipEntry) => {
    if (bytes > 0) parts.push({ at, bytes, source, ...(entry && { entry }) })
    at += bytes
  }
  const directory: Buffer[] = []
  for (const entry of entries) {
    directory.push(directoryHeader(entry, at))
    const header = localHeader(entry)
    add({ content: header }, header.length)
    add(entry.source, entry.bytes, entry)
  }
  const start = at
  const listed = Buffer.concat(directory)
  add({ content: listed }, listed.length)
  const end = endRecords(entries.length, start, listed.length)
  add({ content: end }, end.length)
  return { size: at, parts }
}

/** The parts that contain a range of the archive, `end` included, each with its first and last wanted byte. */
export function* partsBetween({ parts }: ZipLayout, start: number, end: number) {
  for (let index = firstPartAt(parts, start); index < parts.length; index += 1) {
    const part = parts[index]!
    if (part.at > end) return
    const from = Math.max(0, start - part.at)
    const to = Math.min(part.bytes - 1, end - part.at)
    yield { part, from, to }
  }
}

function firstPartAt(parts: readonly ZipPart[], position: number): number {
  let low = 0
  let high = parts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (parts[middle]!.at + parts[middle]!.bytes <= position) low = middle + 1
    else high = middle
  }
  return low
}

const most32 = 0xffffffff
const most16 = 0xffff
/** Bit 11: names are UTF-8. */
const utf8Names = 0x0800
const plainVersion = 20
const zip64Version = 45
/** Upper byte 3: Unix attributes, so that files are unpacked with a readable mode. */
const madeByUnix = 3 << 8
const fileMode = (0o100644 << 16) >>> 0

function localHeader(entry: ZipEntry): Buffer {
  const large = entry.bytes >= most32
  const extra = zip64Extra(large ? [entry.bytes, entry.bytes] : [])
  const path = Buffer.from(entry.name)
  const signature = Buffer.alloc(4)
  signature.writeUInt32LE(0x04034b50)
  const version = large ? zip64Version : plainVersion
  return Buffer.concat([signature, sharedFields(entry, version, path, extra), path, extra])
}

function directoryHeader(entry: ZipEntry, offset: number): Buffer {
  const large = entry.bytes >= most32
  const far = offset >= most32
  const extra = zip64Extra([...(large ? [entry.bytes, entry.bytes] : []), ...(far ? [offset] : [])])
  const version = large || far ? zip64Version : plainVersion
  const path = Buffer.from(entry.name)
  const first = Buffer.alloc(6)
  first.writeUInt32LE(0x02014b50, 0)
  first.writeUInt16LE(madeByUnix | version, 4)
  const last = Buffer.alloc(14)
  last.writeUInt32LE(fileMode, 6)
  last.writeUInt32LE(far ? most32 : offset, 10)
  return Buffer.concat([first, sharedFields(entry, version, path, extra), last, path, extra])
}

/** The fields that the local and central headers share, in the same order. */
function sharedFields(
  { bytes, crc32, modified }: ZipEntry,
  version: number,
  path: Buffer,
  extra: Buffer,
): Buffer {
  const size = Math.min(bytes, most32)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(version, 0)
  fields.writeUInt16LE(utf8Names, 2)
  fields.writeUInt16LE(0, 4)
  fields.writeUInt32LE(dosTime(modified), 6)
  fields.writeUInt32LE(crc32, 10)
  fields.writeUInt32LE(size, 14)
  fields.writeUInt32LE(size, 18)
  fields.writeUInt16LE(path.length, 22)
  fields.writeUInt16LE(extra.length, 24)
  return fields
}

/** Header 0x0001: the numbers that do not fit into 32 bits, in the order of the specification. */
function zip64Extra(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0)
  const extra = Buffer.alloc(4 + numbers.length * 8)
  extra.writeUInt16LE(0x0001, 0)
  extra.writeUInt16LE(numbers.length * 8, 2)
  for (const [at, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + at * 8)
  return extra
}

function endRecords(count: number, start: number, bytes: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, most16), 8)
  end.writeUInt16LE(Math.min(count, most16), 10)
  end.writeUInt32LE(Math.min(bytes, most32), 12)
  end.writeUInt32LE(Math.min(start, most32), 16)
  if (count < most16 && bytes < most32 && start < most32) return end

  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(madeByUnix | zip64Version, 12)
  end64.writeUInt16LE(zip64Version, 14)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(bytes), 40)
  end64.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + bytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, end])
}

/** MS-DOS date and time, in steps of two seconds; no year before 1980, no time zone. */
function dosTime(time: Date): number {
  const year = Math.min(Math.max(time.getUTCFullYear(), 1980), 2107)
  const date = ((year - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  return ((date << 16) | clock) >>> 0
}

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
