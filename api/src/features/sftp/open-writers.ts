import type { DroppedFile } from './dropped-file.ts'

/** A file that is being written. */
export interface Writer {
  /** As the client sees it. */
  readonly path: string
  readonly startedAt: number
  size(): number
}

/** The files that clients have open for writing, by path. */
export function openWriters() {
  const byPath = new Map<string, Set<DroppedFile>>()
  let lastClosedAt = 0
  return {
    has: (virtual: string) => (byPath.get(virtual)?.size ?? 0) > 0,
    hasIn: (folder: string) => [...byPath.keys()].some((virtual) => virtual.startsWith(`${folder}/`)),
    add(virtual: string, file: DroppedFile) {
      byPath.set(virtual, (byPath.get(virtual) ?? new Set()).add(file))
    },
    /**
     * @param at epoch milliseconds
     * @returns whether nobody else has the path open
     */
    remove(virtual: string, file: DroppedFile, at: number): boolean {
      const files = byPath.get(virtual)
      files?.delete(file)
      if (files?.size) return false
      byPath.delete(virtual)
      lastClosedAt = at
      return true
    },
    /** Oldest first. */
    list: (): Writer[] =>
      [...byPath]
        .flatMap(([virtual, files]) =>
          [...files].map((file) => ({ path: virtual, startedAt: file.openedAt, size: () => file.size() })),
        )
        .sort((a, b) => a.startedAt - b.startedAt),
    /** Epoch milliseconds at which a path was last closed; 0 before. */
    lastClosedAt: () => lastClosedAt,
  }
}

export type OpenWriters = ReturnType<typeof openWriters>
