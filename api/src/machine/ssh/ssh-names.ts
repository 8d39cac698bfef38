import { isUtf8 } from 'node:buffer'
import { fromWindows1252 } from '@fellowship/schema/uploads/repair-name'
import type { SFTPWrapper } from 'ssh2'
import { receiverOf } from './ssh-private-parts.ts'

/**
 * Reads names that are no UTF-8 as Windows-1252, which older clients send. Version 3 of SFTP names no encoding, and ssh2
 * decodes UTF-8 alone: every other byte would become U+FFFD, so that 'Renée' and 'Renèe' were one file. The same bytes
 * always give the same name, so a client finds its file by them.
 */
export function readLegacyNames(sftp: SFTPWrapper): void {
  const receiver = receiverOf(sftp)
  const push = receiver.push.bind(receiver)
  const packets = nameRewriter()
  receiver.push = (data) => {
    if (data === null) push(null)
    else for (const piece of packets(data)) push(piece)
  }
}

/** Rewrites the names in a stream of SFTP packets; the bytes of files pass through as they come. */
export function nameRewriter(): (data: Buffer) => Buffer[] {
  /** The begun packet, while it may hold a name. */
  let begun: Buffer = Buffer.alloc(0)
  /** Bytes of the current packet that pass through. */
  let passing = 0
  return (data) => {
    const out: Buffer[] = []
    let rest = begun.length > 0 ? Buffer.concat([begun, data]) : data
    begun = Buffer.alloc(0)
    while (rest.length > 0) {
      if (passing > 0) {
        const piece = rest.subarray(0, passing)
        passing -= piece.length
        out.push(piece)
        rest = rest.subarray(piece.length)
        continue
      }
      const length = rest.length < headerBytes ? 0 : 4 + rest.readUInt32BE(0)
      const hasName = rest.length >= headerBytes && isNamed(rest[4]!) && length <= mostNamedBytes
      if (rest.length >= headerBytes && !hasName) {
        passing = Math.max(length, headerBytes)
        continue
      }
      if (rest.length < headerBytes || rest.length < length) {
        begun = Buffer.from(rest)
        break
      }
      out.push(withUtf8Names(rest.subarray(0, length)))
      rest = rest.subarray(length)
    }
    return out
  }
}

/** Length and type. */
const headerBytes = 5
/** A request with a longer name is refused anyway. */
const mostNamedBytes = 64 * 1024

/** How many names follow the id in a request of this type; an extended one begins with its own name. */
const namesOf: Readonly<Record<number, number>> = {
  3: 1, // OPEN
  7: 1, // LSTAT
  9: 1, // SETSTAT
  11: 1, // OPENDIR
  13: 1, // REMOVE
  14: 1, // MKDIR
  15: 1, // RMDIR
  16: 1, // REALPATH
  17: 1, // STAT
  18: 2, // RENAME
  200: 3, // EXTENDED: posix-rename@openssh.com
}
const isNamed = (type: number) => namesOf[type] !== undefined

/** The packet with every name in UTF-8; unchanged if they are, or if it cannot be read. */
function withUtf8Names(packet: Buffer): Buffer {
  if (isUtf8(packet.subarray(headerBytes + 4)) || packet.length < headerBytes + 4) return packet
  const parts: Buffer[] = [packet.subarray(4, headerBytes + 4)]
  let at = headerBytes + 4
  for (let left = namesOf[packet[4]!] ?? 0; left > 0 && at + 4 <= packet.length; left--) {
    const end = at + 4 + packet.readUInt32BE(at)
    if (end > packet.length) return packet
    const name = utf8Of(packet.subarray(at + 4, end))
    parts.push(uint32(name.length), name)
    at = end
  }
  parts.push(packet.subarray(at))
  const content = Buffer.concat(parts)
  return Buffer.concat([uint32(content.length), content])
}

const utf8Of = (name: Buffer): Buffer => (isUtf8(name) ? name : Buffer.from(fromWindows1252(name)))

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
