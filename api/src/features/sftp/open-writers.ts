import type { OpenWish } from '../../machine/ssh/ssh-files.ts'
import type { DroppedFile } from './dropped-file.ts'

/** A file that is being written. */
export interface Writer {
  /** As the client sees it. */
  readonly path: string
  readonly startedAt: number
  size(): number
}

/** The files that clients have open for writing, by path, each with the SFTP session that opened it. */
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
     * The newest transfer owns a path: a connection that stalled may have the file open long after its client sent it again.
     * Handles of other sessions are superseded, and those of the same session where the file begins anew; otherwise the
     * handles of one session write the file together. Resolves when none of their bytes is on its way to the disk.
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
     * @returns whether it was the last one that had the path open; false for one that was superseded
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
