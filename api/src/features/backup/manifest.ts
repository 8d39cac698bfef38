import { backupLimits } from '@fellowship/schema/backup/backup.limits'
import { megabytes } from '@fellowship/schema/counted'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { z } from 'zod'

/** A file of the archive with its kind and checksum. */
const manifestFile = z.object({
  name: z.string(),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(['audio', 'images', 'handouts', 'database', 'secrets']),
  /** Its name in the data folder. */
  storedAs: z
    .string()
    .regex(/^[0-9a-f]{64}[\w.-]{0,20}$/)
    .optional(),
  /** Whether this is the small copy of a recording. */
  small: z.boolean().optional(),
  /** Whether a recording was written anew from it, so that a restore leaves it in the archive. */
  original: z.boolean().optional(),
})
export type ManifestFile = z.infer<typeof manifestFile>

/** manifest.json, the first entry of every backup. */
export const manifest = z.object({
  format: z.literal(1),
  /** `database`: rows only, as written every day. */
  scope: z.enum(['everything', 'database']).default('everything'),
  product: z.string(),
  version: z.string(),
  /** The newest migration of the database. */
  migration: z.int(),
  createdAt: z.iso.datetime(),
  files: z.array(manifestFile),
  /** Whether APP_SECRET, the SFTP host key and authorized_keys are in `secrets.sealed`. */
  secrets: z.enum(['sealed', 'left out']).default('left out'),
  /** Recordings, photos and handouts that the database refers to and the disk did not have. */
  missing: z.array(z.string()),
})
export type Manifest = z.infer<typeof manifest>

/** A row of database.json, in PostgreSQL's own JSON. */
export type DumpRow = Record<string, unknown>

/**
 * Why a restore would refuse a backup with this manifest for its size; undefined if it accepts it. Planning a backup asks
 * the same.
 *
 * @param manifestBytes of manifest.json
 */
export function restorableFault({ files }: Manifest, manifestBytes: number): string | undefined {
  const { databaseBytes, files: mostFiles, manifestBytes: mostManifest } = backupLimits
  if (files.length > mostFiles || manifestBytes > mostManifest)
    return `A backup has at most ${mostFiles} files, and this one has ${files.length}.`
  const database = files.find(({ kind }) => kind === 'database')
  if (database && database.bytes > databaseBytes)
    return `database.json has ${megabytes(database.bytes)}, more than the ${megabytes(databaseBytes)} that a restore accepts.`
  const large = files.find(({ kind, bytes }) => kind === 'audio' && bytes > maxUploadBytes)
  return large && `${large.name} is larger than a recording may be.`
}

/** A restore that was refused before the first write; the message names the reason and the way out. */
export class RestoreRefusal extends Error {
  override readonly name = 'RestoreRefusal'
}
