import type { Config } from '../../config/config.ts'
import { diskShelf } from './disk-shelf.ts'
import { diskStorage } from './disk-storage.ts'
import { s3Client } from './s3-client.ts'
import { s3Shelf } from './s3-shelf.ts'
import type { Shelf } from './shelf.ts'
import { shelfWithRest } from './shelf-with-rest.ts'
import type { SettlementNotes } from './settlement-notes.ts'
import type { Storage } from './storage.ts'

type Places = Pick<Config, 'dataDir' | 's3' | 'shelf' | 'audioAccel'>

/**
 * The files of the product as its settings say: new ones go to the bucket or to the data folder, and with a bucket those that
 * are at the other place are read from there.
 *
 * @param owner names this process: part of the names of its staged files
 * @param notes where a bucket is, of files whose rows are not written yet; in the data folder unless given
 */
export function configuredStorage(places: Places, owner: string, notes?: SettlementNotes): Storage {
  const { disk, bucket } = configuredShelves(places)
  if (!bucket) return diskStorage(places.dataDir, { owner, shelf: disk })
  const shelf = places.shelf === 'disk' ? shelfWithRest(disk, bucket) : shelfWithRest(bucket, disk)
  return diskStorage(places.dataDir, { owner, shelf, notes })
}

/** Both places where finished files may be. */
export function configuredShelves({ dataDir, s3, audioAccel }: Places): {
  disk: Shelf
  bucket: Shelf | undefined
} {
  const place = s3 && `Bucket ${s3.bucket} at ${new URL(s3.endpoint).host}`
  const bucket = s3 && s3Shelf(s3Client(s3), { place: place!, publicUrl: s3.publicUrl })
  return { disk: diskShelf(dataDir, { forProxy: audioAccel !== undefined }), bucket }
}
