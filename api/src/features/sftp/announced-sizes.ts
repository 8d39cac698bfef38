import type { Storage } from '../../machine/storage/storage.ts'

const sizes = new WeakMap<Storage, Map<string, number>>()

/**
 * Bytes that clients announced for the files of a drop folder, by their path as clients see it. Few announce any; what
 * they said is forgotten with the process.
 */
export function announcedSizes(storage: Storage): Map<string, number> {
  const known = sizes.get(storage) ?? new Map<string, number>()
  sizes.set(storage, known)
  return known
}
