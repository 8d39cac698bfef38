import { workerThread } from '../worker-code.ts'
import type { Storage, StoredKind } from './storage.ts'

/** A recording's identity (sha-256, lower-case hex) and its checksum for ZIP files (CRC-32, unsigned). */
interface FileHashes {
  sha256: string
  crc32: number
}

/** Hashes one file while it is being written. */
export interface HashInProgress {
  /** The first `bytes` of the file are written. */
  advance(bytes: number): void
  /** The hashes of the first `bytes`. Rejects if the file cannot be read. */
  finish(bytes: number): Promise<FileHashes>
  /** Closes the file without a result. */
  abandon(): void
}

export interface FileHash {
  follow(path: string): HashInProgress
  close(): Promise<void>
}

/**
 * Hashes in a worker thread by reading the bytes just written from the page cache: the event loop stays free, and an upload
 * waits for its last chunk only. Hashing in the upload stream would halve its speed.
 */
export function fileHash(): FileHash {
  const thread = workerThread(code)
  let nextKey = 0
  return {
    follow(path) {
      const key = nextKey++
      let written = 0
      let asked = false
      // At most one request in flight per file: the next one covers everything written meanwhile.
      const step = async () => {
        if (asked) return
        asked = true
        const upTo = written
        // `finish` repeats the read and reports the error.
        await thread.ask({ key, path, upTo }).catch(() => undefined)
        asked = false
        if (written > upTo && !ended) void step()
      }
      let ended = false
      return {
        advance(bytes) {
          written = bytes
          void step()
        },
        async finish(bytes) {
          ended = true
          return (await thread.ask({ key, path, upTo: bytes, last: true })) as FileHashes
        },
        abandon() {
          if (ended) return
          ended = true
          void thread.ask({ key, abandon: true }).catch(() => undefined)
        },
      }
    },
    close: () => thread.close(),
  }
}

const code = `
const { parentPort } = require('node:worker_threads')
const { createHash } = require('node:crypto')
const { openSync, readSync, closeSync } = require('node:fs')
const { crc32 } = require('node:zlib')
const piece = Buffer.allocUnsafe(1 << 20)
const files = new Map()
function letGo(key) {
  const file = files.get(key)
  files.delete(key)
  if (file) closeSync(file.fd)
}
function follow({ key, path, upTo, last }) {
  let file = files.get(key)
  if (!file) files.set(key, (file = { fd: openSync(path, 'r'), at: 0, sha: createHash('sha256'), crc: 0 }))
  while (file.at < upTo) {
    const read = readSync(file.fd, piece, 0, Math.min(piece.length, upTo - file.at), file.at)
    if (read === 0) throw new Error('The file is shorter than it was written.')
    const bytes = piece.subarray(0, read)
    file.sha.update(bytes)
    file.crc = crc32(bytes, file.crc)
    file.at += read
  }
  if (!last) return
  letGo(key)
  return { sha256: file.sha.digest('hex'), crc32: file.crc >>> 0 }
}
parentPort.on('message', (message) => {
  const { id, key, abandon } = message
  try {
    parentPort.postMessage({ id, value: abandon ? letGo(key) : follow(message) })
  } catch (error) {
    letGo(key)
    parentPort.postMessage({ id, error: { message: error.message, code: error.code } })
  }
})`

/** The SHA-256 of a stored file, lower-case hex; undefined if it cannot be read to its end, as on a failing disk. */
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
