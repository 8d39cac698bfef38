import type { Socket } from 'node:net'
import type { CipherAlgorithm, Connection } from 'ssh2'
import { KexInit, offerOf } from './ssh-private-parts.ts'

/**
 * The ciphers that are offered. Without ssh2's native part, Node's own AES costs less than ssh2's ChaCha20-Poly1305, which
 * makes three cipher objects for each packet and computes Poly1305 in WebAssembly. OpenSSH's client prefers ChaCha20
 * wherever it is offered; every client that supports it supports AES as well.
 *
 * @param hasNative whether ssh2 found its native part, which is built at installation if there is a compiler
 */
export function offeredCiphers(hasNative: boolean): CipherAlgorithm[] {
  return [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    ...(hasNative ? (['chacha20-poly1305@openssh.com'] as const) : []),
    'aes128-ctr',
    'aes192-ctr',
    'aes256-ctr',
  ]
}

/**
 * Offers AES in counter mode only to clients that have no AES-GCM. The client's order decides, and OpenSSH before version 10
 * prefers counter mode, whose separate SHA-256 costs the server a seventh to a quarter more processor time.
 *
 * @param ciphers the client's
 */
export function preferGcm(connection: Connection, ciphers: ClientCiphers | undefined): void {
  const isGcm = (cipher: string) => cipher.includes('-gcm')
  if (![...(ciphers ?? [])].some(isGcm)) return
  const protocol = offerOf(connection)
  const { kex, serverHostKey, cs, sc } = protocol._offer.lists
  const narrowed = ({ cipher, mac, compress, lang }: typeof cs) => ({
    cipher: cipher.array.filter(isGcm),
    mac: mac.array,
    compress: compress.array,
    lang: lang.array,
  })
  protocol._offer = new KexInit({
    kex: kex.array,
    serverHostKey: serverHostKey.array,
    cs: narrowed(cs),
    sc: narrowed(sc),
  })
}

/** A client's ciphers, in either direction both. */
export type ClientCiphers = ReadonlySet<string>

/**
 * Holds a client's bytes back from ssh2, which is about to listen to the socket, until the client's list of algorithms is whole:
 * ssh2 sends its own list as soon as it knows the client's version, and could not choose any more. A client that waits for
 * the server's list first gets it after a moment.
 *
 * @returns the ciphers of the list, undefined if there was none in time; ask when ssh2 says that a client has come
 */
export function holdForOffer(socket: Socket): () => ClientCiphers | undefined {
  let held: Buffer[] | undefined = []
  let ciphers: ClientCiphers | undefined
  const holdFrom = (parse: (data: Buffer) => void) => {
    let timer: NodeJS.Timeout | undefined
    const release = () => {
      clearTimeout(timer)
      const all = Buffer.concat(held ?? [])
      held = undefined
      if (!socket.destroyed) parse(all)
    }
    socket.off('data', parse)
    socket.on('data', (data: Buffer) => {
      if (!held) return parse(data)
      timer ??= setTimeout(release, patienceMs)
      held.push(data)
      const read = readOffer(Buffer.concat(held))
      if (read === 'incomplete') return
      ciphers = read
      release()
    })
    socket.once('close', () => clearTimeout(timer))
  }
  const onListener = (event: string | symbol, listener: (data: Buffer) => void) => {
    if (event !== 'data') return
    socket.off('newListener', onListener)
    // It is added once this event is over, and gets nothing before.
    queueMicrotask(() => holdFrom(listener))
  }
  socket.on('newListener', onListener)
  return () => ciphers
}

/**
 * The ciphers of a client's version line and SSH_MSG_KEXINIT (RFC 4253, 4.2 and 7.1) that it offers in both directions;
 * undefined if its bytes are anything else, which ssh2 has to judge.
 */
export function readOffer(bytes: Buffer): ClientCiphers | 'incomplete' | undefined {
  const start = bytes.indexOf('\n') + 1
  if (start === 0) return bytes.length < longestLine ? 'incomplete' : undefined
  if (bytes.length < start + 4) return 'incomplete'
  const end = start + 4 + bytes.readUInt32BE(start)
  if (end - start > longestPacket) return undefined
  if (bytes.length < end) return 'incomplete'
  const payload = bytes.subarray(start + 5, end)
  if (payload[0] !== keyExchangeInit) return undefined
  const lists: string[][] = []
  // After the type and a cookie: key exchange, host key, ciphers from and to the client.
  for (let at = 17; lists.length < 4;) {
    if (payload.length < at + 4) return undefined
    const length = payload.readUInt32BE(at)
    lists.push(payload.toString('latin1', at + 4, at + 4 + length).split(','))
    at += 4 + length
  }
  const [, , from, to] = lists
  return new Set(from!.filter((cipher) => to!.includes(cipher)))
}

const keyExchangeInit = 20
/** The largest that ssh2 reads. */
const longestPacket = 35_000
const longestLine = 255
const patienceMs = 250
