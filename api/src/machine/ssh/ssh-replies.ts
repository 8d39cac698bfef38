import type { Socket } from 'node:net'
import type { SFTPWrapper } from 'ssh2'
import { sessionParts } from './ssh-private-parts.ts'

export interface Replies {
  /** Backpressure: waits while the client is slower than the answers. False once the session has ended. */
  room: () => Promise<boolean>
  /** Sends exit status 0, which scp uses as its own. ssh2 has no public method for it. */
  reportSuccess(): void
  /** Call it when the session has ended. */
  end(): void
}

/**
 * Batches the answers of one turn of the event loop into as few packets as possible and one write to the socket. By default
 * ssh2 sends each answer in its own packet, and a full READ in two: 32,768 bytes of file leave no room for their header.
 */
export function batchReplies(sftp: SFTPWrapper, socket: Socket): Replies {
  const session = sessionParts(sftp)
  const { _protocol: protocol, outgoing } = session
  const packet = Buffer.allocUnsafe(Math.min(outgoing.packetSize, maxPacketBytes))
  let filled = 0
  let isOver = false
  let turn: NodeJS.Immediate | undefined
  let isInPiece = false
  let waiting: ((goesOn: boolean) => void)[] = []

  const isFull = () => session._buffer.length > 0 || socket.writableLength > maxUnsentBytes
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
  const endPiece = () => {
    isInPiece = false
    if (!turn) send()
    socket.uncork()
  }
  const beginPiece = () => {
    if (isInPiece || turn) return
    isInPiece = true
    socket.cork()
    process.nextTick(endPiece)
  }
  socket.on('drain', release)

  session._protocol = Object.assign(Object.create(protocol) as typeof protocol, {
    channelData(_: number, data: Buffer) {
      // The answer to a WRITE lets the client send the next one: it waits only for those to the same piece of the socket.
      if (data.length < shortBytes) beginPiece()
      else beginTurn()
      // It may have been the last queued answer of an exhausted window.
      if (waiting.length > 0) beginTurn()
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
const maxPacketBytes = 32 * 1024
/** Encrypted bytes that the socket has not sent yet. */
const maxUnsentBytes = 2 * 1024 * 1024
