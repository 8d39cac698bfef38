import { storedKinds, type BlobStore } from './blob-store.ts'

/**
 * Everything new goes to `first`; what is still on `rest` is read from there until it is moved. So the place of the files
 * can be changed while the product runs.
 */
export function blobStoreWithFallback(first: BlobStore, rest: BlobStore): BlobStore {
  return {
    place: first.place,
    isLocal: first.isLocal,
    put: (kind, name, file) => first.put(kind, name, file),
    stat: async (kind, name) => (await first.stat(kind, name)) ?? rest.stat(kind, name),
    open: async (kind, name) =>
      (await first.open(kind, name)) ??
      (await rest.open(kind, name)) ??
      // Moved from there to here between the two questions.
      first.open(kind, name),
    async remove(kind, name) {
      const removed = [await first.remove(kind, name), await rest.remove(kind, name)]
      return removed.includes(true)
    },
    async *list(kind) {
      const seen = new Set<string>()
      for (const blobs of [first, rest]) {
        for await (const file of blobs.list(kind)) {
          if (!seen.has(file.name)) yield file
          seen.add(file.name)
        }
      }
    },
    async tidy(limit) {
      await first.tidy(limit)
      await rest.tidy(limit)
    },
    async elsewhere() {
      let files = 0
      for (const kind of storedKinds) for await (const _ of rest.list(kind)) files += 1
      return files === 0 ? undefined : { place: rest.place, files }
    },
  }
}
