import type { FileHandle } from 'node:fs/promises'
import { problems } from '@fellowship/schema/problem'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { FileRefusal, type OpenedFile, type OpenWish } from '../../machine/ssh/ssh-files.ts'
import { writeAll } from '../../machine/storage/durable-files.ts'

/** A file of the drop folder that a client has open. */
export interface DroppedFile extends OpenedFile {
  /** Epoch milliseconds. */
  readonly openedAt: number
  /** Its size in bytes. */
  size(): number
  /** Whether a write went past the size limit, so that the file can never be used. */
  isTooLarge(): boolean
  /**
   * A later transfer replaces this one, whose writes are refused from now on. Resolves when its last bytes have reached the
   * disk.
   */
  supersede(): Promise<void>
}

export async function openDropped(
  handle: FileHandle,
  { now, onClose }: { now: () => number; onClose: (clean: boolean) => Promise<void> },
): Promise<DroppedFile> {
  let { size } = await handle.stat()
  let tooLarge = false
  let hasWritten = false
  let isSuperseded = false
  let underWay: Promise<void> = Promise.resolve()
  const refusalOf = (bytes: number) => {
    if (isSuperseded) return superseded()
    if (bytes <= maxUploadBytes) return undefined
    tooLarge = true
    return new FileRefusal('failure', problems.too_large.sentence)
  }
  const alter = (work: () => Promise<void>): Promise<void> => {
    const mine = isSuperseded ? Promise.reject(superseded()) : work()
    underWay = Promise.allSettled([underWay, mine]).then(() => undefined)
    return mine
  }
  return {
    openedAt: now(),
    size: () => size,
    isTooLarge: () => tooLarge,
    refusalOf,
    async supersede() {
      isSuperseded = true
      await underWay
    },
    write: (position, pieces) =>
      alter(async () => {
        const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
        hasWritten = true
        await writeAll(handle, pieces, { position })
        size = Math.max(size, position + bytes)
      }),
    async read(position, into) {
      let count = 0
      while (count < into.length) {
        const { bytesRead } = await handle.read(into, count, into.length - count, position + count)
        if (bytesRead === 0) break
        count += bytesRead
      }
      return count
    },
    async facts() {
      const { size: bytes, mtimeMs } = await handle.stat()
      return { isFolder: false, size: bytes, modifiedAt: Math.floor(mtimeMs / 1000) }
    },
    change: ({ size: wanted, modifiedAt }) =>
      alter(async () => {
        if (wanted !== undefined) {
          const refusal = refusalOf(wanted)
          if (refusal) throw refusal
          await handle.truncate(wanted)
          size = wanted
        }
        if (modifiedAt !== undefined) await handle.utimes(modifiedAt, modifiedAt)
      }),
    async close(clean) {
      try {
        await handle.close()
      } finally {
        await onClose(clean)
      }
      // If this returned OK, the client would take its own bytes for the published ones.
      if (clean && isSuperseded && hasWritten) throw superseded()
    },
  }
}

const superseded = () =>
  new FileRefusal(
    'failure',
    'A later transfer of this file has begun and replaces this one. Send another recording under another name.',
  )

/** A file that is being written. */
export interface Writer {
  /** The path that the client sees. */
  readonly path: string
  readonly startedAt: number
  size(): number
}

/** The files that clients have open for writing, by path, each with its SFTP session. */
export function openWriters() {
  const byPath = new Map<string, Map<DroppedFile, object>>()
  let lastClosedAt = 0
  return {
    has: (virtual: string) => (byPath.get(virtual)?.size ?? 0) > 0,
    hasIn: (folder: string) => [...byPath.keys()].some((virtual) => virtual.startsWith(`${folder}/`)),
    add(virtual: string, file: DroppedFile, session: object) {
      byPath.set(virtual, (byPath.get(virtual) ?? new Map<DroppedFile, object>()).set(file, session))
    },
    /**
     * Gives a path to the newest transfer: after a connection stalled, the file may stay open long after its client has
     * sent it again. Handles of other sessions are superseded, and those of the same session if the file is truncated;
     * otherwise the handles of one session write the file together. Resolves when the superseded handles' last bytes have
     * reached the disk.
     */
    async supersede(virtual: string, { session, truncate }: OpenWish): Promise<void> {
      const files = byPath.get(virtual) ?? new Map<DroppedFile, object>()
      const earlier = [...files].filter(([, owner]) => truncate || owner !== session)
      for (const [file] of earlier) files.delete(file)
      if (files.size === 0) byPath.delete(virtual)
      await Promise.all(earlier.map(([file]) => file.supersede()))
    },
    /**
     * @param at epoch milliseconds
     * @returns whether the path is closed now; false for a superseded handle
     */
    remove(virtual: string, file: DroppedFile, at: number): boolean {
      const files = byPath.get(virtual)
      if (!files?.delete(file) || files.size > 0) return false
      byPath.delete(virtual)
      lastClosedAt = at
      return true
    },
    /** Oldest first. */
    list: (): Writer[] =>
      [...byPath]
        .flatMap(([virtual, files]) =>
          [...files.keys()].map((file) => ({
            path: virtual,
            startedAt: file.openedAt,
            size: () => file.size(),
          })),
        )
        .sort((a, b) => a.startedAt - b.startedAt),
    /** Epoch milliseconds at which a path was last closed; 0 before. */
    lastClosedAt: () => lastClosedAt,
  }
}

export type OpenWriters = ReturnType<typeof openWriters>
