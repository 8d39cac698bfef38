import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Connection, SFTPWrapper } from 'ssh2'

/**
 * All that the SFTP server uses of ssh2 beside its documented interface. The test beside this file says what ends if a later
 * version of ssh2 has not one of them.
 */

/** The answering half of an SFTP session. */
export interface SessionParts {
  _protocol: {
    channelData(channel: number, data: Buffer): void
    channelClose(channel: number): void
    exitStatus(channel: number, code: number): void
  }
  /** Answers that ssh2 queues until the client's window opens. */
  _buffer: Buffer[]
  /** The channel to the client; `window` is the number of bytes that it still takes. */
  outgoing: { id: number; state: string; packetSize: number; window: number }
}

export const sessionParts = (sftp: SFTPWrapper): SessionParts => sftp as unknown as SessionParts

/** The receiving half: bytes of the channel, or null at its end. */
export const receiverOf = (sftp: SFTPWrapper): { push(data: Buffer | null): void } =>
  sftp as unknown as { push(data: Buffer | null): void }

/** The socket of a connection. */
export const socketOf = (connection: Connection): Socket => (connection as unknown as { _sock: Socket })._sock

interface Lists<List> {
  kex: List
  serverHostKey: List
  cs: Record<'cipher' | 'mac' | 'compress' | 'lang', List>
  sc: Record<'cipher' | 'mac' | 'compress' | 'lang', List>
}

/** The algorithms of a connection, sent once a client has named its version. */
interface Offer {
  lists: Lists<{ array: string[] }>
}

/** What holds the offer of a connection. */
export const offerOf = (connection: Connection): { _offer: Offer } =>
  (connection as unknown as { _protocol: { _offer: Offer } })._protocol

const require = createRequire(import.meta.url)

/** Makes an offer. */
export const { KexInit } = require('ssh2/lib/protocol/kex.js') as {
  KexInit: new (lists: Lists<string[]>) => Offer
}

/** Whether ssh2 loaded its native part; it has no public name for that. */
export const hasNativeCiphers = (require('ssh2/lib/protocol/crypto.js') as { bindingAvailable: boolean })
  .bindingAvailable
