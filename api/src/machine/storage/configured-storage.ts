import type { Config } from '../../config/config.ts'
import { type BlobStore, storedKinds } from './blob-store.ts'
import { diskBlobStore } from './disk-blob-store.ts'
import { diskStorage } from './disk-storage.ts'
import { s3BlobStore } from './s3-blob-store.ts'
import { s3Client } from './s3-client.ts'
import type { SettlementNotes, Storage } from './storage.ts'

type Places = Pick<Config, 'dataDir' | 's3' | 'blobStore' | 'audioAccel'>

/**
 * The files of the product as its settings say: new ones go to the bucket or to the data folder, and with a bucket those that
 * are at the other place are read from there.
 *
 * @param owner names this process: part of the names of its staged files
 * @param notes of files in a bucket whose rows are not written yet; in the data folder unless given
 */
export function configuredStorage(places: Places, owner: string, notes?: SettlementNotes): Storage {
  const { disk, bucket } = configuredBlobStores(places)
  if (!bucket) return diskStorage(places.dataDir, { owner, blobs: disk })
  const blobs =
    places.blobStore === 'disk' ? blobStoreWithFallback(disk, bucket) : blobStoreWithFallback(bucket, disk)
  return diskStorage(places.dataDir, { owner, blobs, notes })
}

/** Both places of finished files. */
export function configuredBlobStores({ dataDir, s3, audioAccel }: Places): {
  disk: BlobStore
  bucket: BlobStore | undefined
} {
  const place = s3 && `Bucket ${s3.bucket} at ${new URL(s3.endpoint).host}`
  const bucket = s3 && s3BlobStore(s3Client(s3), { place: place!, publicUrl: s3.publicUrl })
  return { disk: diskBlobStore(dataDir, { forProxy: audioAccel !== undefined }), bucket }
}

/**
 * Everything new goes to `first`; files still on `rest` are read from there until they are moved. So the place of the files
 * can be changed while the product runs. The disk is asked first, since a bucket may not answer.
 */
export function blobStoreWithFallback(first: BlobStore, rest: BlobStore): BlobStore {
  const [near, far] = first.isLocal ? [first, rest] : [rest, first]
  return {
    place: first.place,
    isLocal: first.isLocal,
    async put(kind, name, file) {
      await first.put(kind, name, file)
      // One that is damaged there would be read instead.
      if (near === rest) await rest.remove(kind, name)
    },
    stat: async (kind, name) => (await near.stat(kind, name)) ?? far.stat(kind, name),
    open: async (kind, name) =>
      (await near.open(kind, name)) ??
      (await far.open(kind, name)) ??
      // Moved from there to here between the two questions.
      near.open(kind, name),
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
    isReachable: () => far.isReachable(),
  }
}
