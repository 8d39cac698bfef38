import type { SFTPWrapper } from 'ssh2'
import { FileRefusal } from './ssh-files.ts'

/** The extension by which clients ask how large a request may be (OpenSSH's PROTOCOL, 4.8). */
export const limitsExtension = 'limits@openssh.com'

/** Bytes of one request, as ssh2 takes them, and bytes of a file in it: what OpenSSH's server allows as well. */
const mostPacketBytes = 256 * 1024
const mostFileBytes = mostPacketBytes - 1024

/** Private parts of ssh2's SFTP session. */
interface SessionParts {
  _protocol: { channelData(channel: number, data: Buffer): void }
  _buffer: Buffer[]
  outgoing: { id: number; state: string; window: number }
}

/**
 * Names the extension in the first answer, which ssh2 sends without any. OpenSSH's client then sends and asks for 255 KiB
 * at a time instead of 32, so a recording takes an eighth of the requests and answers.
 */
export function announceLimits(sftp: SFTPWrapper): void {
  const session = sftp as unknown as SessionParts
  const protocol = session._protocol
  session._protocol = Object.assign(Object.create(protocol) as SessionParts['_protocol'], {
    channelData(channel: number, data: Buffer) {
      session._protocol = protocol
      const more = versionWithLimits.length - data.length
      const isVersion = data.equals(plainVersion) && hasRoom(session, more)
      if (isVersion) session.outgoing.window -= more
      protocol.channelData(channel, isVersion ? versionWithLimits : data)
    },
  })
}

/**
 * Answers the question of a client; ssh2 has no method for it.
 *
 * @throws FileRefusal where the client has left no room for the answer: it goes on with small requests
 */
export function sendLimits(sftp: SFTPWrapper, id: number, openFiles: number): void {
  const session = sftp as unknown as SessionParts
  const answer = Buffer.alloc(4 + 1 + 4 + 4 * 8)
  answer.writeUInt32BE(answer.length - 4, 0)
  answer[4] = extendedReply
  answer.writeUInt32BE(id, 5)
  for (const [index, limit] of [mostPacketBytes, mostFileBytes, mostFileBytes, openFiles].entries())
    answer.writeBigUInt64BE(BigInt(limit), 9 + 8 * index)
  if (session._buffer.length > 0 || !hasRoom(session, answer.length))
    throw new FileRefusal('unsupported', 'Not supported here.')
  session.outgoing.window -= answer.length
  session._protocol.channelData(session.outgoing.id, answer)
}

/** One byte is left over: ssh2 waits for the client's window only where one of its own answers has used it up. */
const hasRoom = ({ outgoing }: SessionParts, bytes: number) =>
  outgoing.state === 'open' && outgoing.window > bytes

const extendedReply = 201
/** SSH_FXP_VERSION, 3. */
const plainVersion = Buffer.from([0, 0, 0, 5, 2, 0, 0, 0, 3])
const versionWithLimits = packet(plainVersion.subarray(4), text(limitsExtension), text('1'))

function packet(...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

function text(value: string): Buffer {
  return packet(Buffer.from(value))
}
