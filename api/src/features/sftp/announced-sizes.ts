import type { Storage } from '../../machine/storage/storage.ts'

const sizes = new WeakMap<Storage, Map<string, number>>()

/** Bytes that clients announced for files of a drop folder, by client path. In memory only: few clients announce any. */
export function announcedSizes(storage: Storage): Map<string, number> {
  const known = sizes.get(storage) ?? new Map<string, number>()
  sizes.set(storage, known)
  return known
}
