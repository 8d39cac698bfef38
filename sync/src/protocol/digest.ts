import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Digest } from '@fellowship/schema/sync/sync.schema'

export interface DigestEntry {
  kind: string
  uid: string
  rev: number
}

/** Computes a replica's digest: SHA-256 over the sorted lines 'kind:uid:rev'. Equal digests mean equal replicas. */
export function digestOf(entries: readonly DigestEntry[]): Digest {
  const lines = entries.map(({ kind, uid, rev }) => `${kind}:${uid}:${rev}`).sort()
  return { count: lines.length, sha256: bytesToHex(sha256(utf8ToBytes(lines.join('\n')))) }
}

export const sameDigest = (a: Digest, b: Digest): boolean => a.count === b.count && a.sha256 === b.sha256
