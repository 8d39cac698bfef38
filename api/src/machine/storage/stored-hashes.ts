import { fileHash } from './file-hash.ts'
import type { Storage, StoredKind } from './storage.ts'

/** The SHA-256 of a stored file, lower-case hex; undefined where it cannot be read to its end, as on a failing disk. */
export type StoredHash = (name: string, bytes: number) => Promise<string | undefined>

/** Runs work that hashes stored files in a worker thread of its own: uploads must not wait for it. */
export async function withStoredHashes(
  storage: Pick<Storage, 'withPath'>,
  kind: StoredKind,
  work: (hashOf: StoredHash) => Promise<void>,
): Promise<void> {
  const hashes = fileHash()
  const hashOf: StoredHash = (name, bytes) =>
    storage.withPath(kind, name, (file) =>
      hashes
        .follow(file)
        .finish(bytes)
        .then(
          ({ sha256 }) => sha256,
          () => undefined,
        ),
    )
  try {
    await work(hashOf)
  } finally {
    await hashes.close()
  }
}
