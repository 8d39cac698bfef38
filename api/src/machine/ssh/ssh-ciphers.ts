import { createRequire } from 'node:module'
import type { CipherAlgorithm, Connection } from 'ssh2'
import type { ClientCiphers } from './ssh-client-offer.ts'

/**
 * The ciphers that are offered. Without ssh2's native part, Node's own AES costs less than ssh2's ChaCha20-Poly1305, which
 * makes three cipher objects for each packet and computes Poly1305 in WebAssembly. OpenSSH's client prefers ChaCha20
 * wherever it is offered; every client that supports it supports AES as well.
 *
 * @param hasNative whether ssh2 found its native part, which is built at installation where there is a compiler
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

const require = createRequire(import.meta.url)

/** Whether ssh2 loaded its native part; it has no public name for that. */
export const hasNativeCiphers = (require('ssh2/lib/protocol/crypto.js') as { bindingAvailable: boolean })
  .bindingAvailable

interface Lists<List> {
  kex: List
  serverHostKey: List
  cs: Record<'cipher' | 'mac' | 'compress' | 'lang', List>
  sc: Record<'cipher' | 'mac' | 'compress' | 'lang', List>
}
/** Private parts of ssh2's connection: what it offers, sent once a client has named its version. */
interface ConnectionParts {
  _protocol: { _offer: { lists: Lists<{ array: string[] }> } }
}
const { KexInit } = require('ssh2/lib/protocol/kex.js') as {
  KexInit: new (lists: Lists<string[]>) => ConnectionParts['_protocol']['_offer']
}

/**
 * Offers AES in counter mode only to clients that have no AES-GCM. The client's order decides, and OpenSSH before version 10
 * prefers counter mode, whose separate SHA-256 makes it cost Node's own ciphers twice as much.
 *
 * @param ciphers the client's
 */
export function preferGcm(connection: Connection, ciphers: ClientCiphers | undefined): void {
  const isGcm = (cipher: string) => cipher.includes('-gcm')
  if (![...(ciphers ?? [])].some(isGcm)) return
  const { _protocol: protocol } = connection as unknown as ConnectionParts
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
