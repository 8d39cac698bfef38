import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  firstKinds,
  laterKinds,
  type Digest,
  type SyncPage,
  kinds,
  rowSchemas,
} from '@fellowship/schema/sync/sync.schema'

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

/** The digests of a replica, as the last page of a pull carries them. */
export type Digests = Required<Pick<SyncPage, 'digest' | 'digests'>>

/** Computes the digest of the first kinds together, and that of each later kind. */
export function digestsOf(entries: readonly DigestEntry[]): Digests {
  const of = (wanted: readonly string[]) => digestOf(entries.filter(({ kind }) => wanted.includes(kind)))
  return {
    digest: of(firstKinds),
    digests: Object.fromEntries(laterKinds.map((kind) => [kind, of([kind])])),
  }
}

/** Whether a replica has the digests of a page; a kind that the server does not know yet is not compared. */
export function agrees(local: Digests, page: Pick<SyncPage, 'digest' | 'digests'>): boolean {
  const { digest, digests = {} } = page
  if (digest && !sameDigest(local.digest, digest)) return false
  return laterKinds.every((kind) => {
    const [own, told] = [local.digests[kind], digests[kind]]
    return !own || !told || sameDigest(own, told)
  })
}

const sameDigest = (a: Digest, b: Digest): boolean => a.count === b.count && a.sha256 === b.sha256

/**
 * The fields of every kind's rows in this build. A replica stored with another shape is replaced by a snapshot: adding
 * a column does not change revisions, so neither a delta nor the digest would reveal the missing field.
 */
export const replicaShape: string = kinds
  .map((kind) => `${kind}(${Object.keys(rowSchemas[kind].shape).sort().join()})`)
  .join()
