import { createRequire } from 'node:module'
import type { CipherAlgorithm } from 'ssh2'

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

/** Whether ssh2 loaded its native part; it has no public name for that. */
export const hasNativeCiphers = (
  createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js') as { bindingAvailable: boolean }
).bindingAvailable
