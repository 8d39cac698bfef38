import type { Socket } from 'node:net'
import type { SFTPWrapper } from 'ssh2'

/** What ssh2 keeps to itself of an SFTP session, and what goes through it to the client. */
interface SessionParts {
  _protocol: Protocol
  /** Answers that wait until the client's window opens; sent by themselves then. */
  _buffer: Buffer[]
  outgoing: { id: number; state: string; packetSize: number }
}
interface Protocol {
  channelData(channel: number, data: Buffer): void
  channelClose(channel: number): void
  exitStatus(channel: number, code: number): void
}

export interface Replies {
  /** False once nobody hears answers any more; waits while more of them stand ready than the client takes. */
  room: () => Promise<boolean>
  /** Says that the session went well: scp takes its own exit status from it. ssh2 has no public way to. */
  reportSuccess(): void
  /** Nobody hears answers any more. */
  end(): void
}

/**
 * Sends the answers of one turn of the event loop in as few packets as hold them, and in one write to the socket. By itself
 * ssh2 sends each in packets of its own, and a full READ in two: 32,768 bytes of file do not leave room for their header.
 */
export function batchReplies(sftp: SFTPWrapper, socket: Socket): Replies {
  const session = sftp as unknown as SessionParts
  const { _protocol: protocol, outgoing } = session
  const packet = Buffer.allocUnsafe(Math.min(outgoing.packetSize, mostPacketBytes))
  let filled = 0
  let isOver = false
  let turn: NodeJS.Immediate | undefined
  let waiting: ((goesOn: boolean) => void)[] = []

  const isFull = () => session._buffer.length > 0 || socket.writableLength > mostUnsentBytes
  const release = () => {
    if (!isOver && isFull()) return
    for (const goOn of waiting.splice(0)) goOn(!isOver)
  }
  const send = () => {
    if (filled > 0) protocol.channelData(outgoing.id, packet.subarray(0, filled))
    filled = 0
  }
  const endTurn = () => {
    turn = undefined
    send()
    socket.uncork()
    release()
  }
  const beginTurn = () => {
    if (turn) return
    socket.cork()
    turn = setImmediate(endTurn)
  }
  socket.on('drain', release)

  session._protocol = Object.assign(Object.create(protocol) as Protocol, {
    channelData(channel: number, data: Buffer) {
      // The answer to a WRITE lets the client send the next: at once.
      if (filled === 0 && data.length < shortBytes) {
        protocol.channelData(channel, data)
        // It may have been all that stood ready for a window that was spent.
        if (waiting.length > 0) beginTurn()
        return
      }
      beginTurn()
      for (let at = 0; at < data.length;) {
        const count = data.copy(packet, filled, at)
        at += count
        filled += count
        if (filled === packet.length) send()
      }
    },
    channelClose(channel: number) {
      send()
      protocol.channelClose(channel)
    },
  })

  return {
    async room() {
      if (!isOver && isFull()) return new Promise((resolve) => waiting.push(resolve))
      return !isOver
    },
    reportSuccess() {
      send()
      if (outgoing.state === 'open') protocol.exitStatus(outgoing.id, 0)
    },
    end() {
      isOver = true
      release()
    },
  }
}

const shortBytes = 1024
const mostPacketBytes = 32 * 1024
/** Encrypted, and not yet taken by the system. */
const mostUnsentBytes = 2 * 1024 * 1024
