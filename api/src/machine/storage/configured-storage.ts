import type { Config } from '../../config/config.ts'
import { diskBlobStore } from './disk-blob-store.ts'
import { diskStorage } from './disk-storage.ts'
import { s3Client } from './s3-client.ts'
import { s3BlobStore } from './s3-blob-store.ts'
import type { BlobStore } from './blob-store.ts'
import { blobStoreWithFallback } from './blob-store-with-fallback.ts'
import type { SettlementNotes } from './settlement-notes.ts'
import type { Storage } from './storage.ts'

type Places = Pick<Config, 'dataDir' | 's3' | 'blobStore' | 'audioAccel'>

/**
 * The files of the product as its settings say: new ones go to the bucket or to the data folder, and with a bucket those that
 * are at the other place are read from there.
 *
 * @param owner names this process: part of the names of its staged files
 * @param notes where a bucket is, of files whose rows are not written yet; in the data folder unless given
 */
export function configuredStorage(places: Places, owner: string, notes?: SettlementNotes): Storage {
  const { disk, bucket } = configuredBlobStores(places)
  if (!bucket) return diskStorage(places.dataDir, { owner, blobs: disk })
  const blobs =
    places.blobStore === 'disk' ? blobStoreWithFallback(disk, bucket) : blobStoreWithFallback(bucket, disk)
  return diskStorage(places.dataDir, { owner, blobs, notes })
}

/** Both places where finished files may be. */
export function configuredBlobStores({ dataDir, s3, audioAccel }: Places): {
  disk: BlobStore
  bucket: BlobStore | undefined
} {
  const place = s3 && `Bucket ${s3.bucket} at ${new URL(s3.endpoint).host}`
  const bucket = s3 && s3BlobStore(s3Client(s3), { place: place!, publicUrl: s3.publicUrl })
  return { disk: diskBlobStore(dataDir, { forProxy: audioAccel !== undefined }), bucket }
}
