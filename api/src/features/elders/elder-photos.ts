import { createHash } from 'node:crypto'
import { photoAddress, photoHash, photoName } from '@fellowship/schema/elders/elder-photo'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { keyLock } from '../../machine/key-lock.ts'
import { PictureRefused, pictureKind, webpSizes } from '../../machine/picture/pictures.ts'
import type { Settlement } from '../../machine/storage/storage.ts'
import { photoAddresses } from './elders.sql.ts'

/** A picture as it arrived. */
export interface UploadedPhoto {
  readonly path: string
  /** Aborted when the uploader is gone: ends the conversion. */
  readonly gone?: AbortSignal | undefined
}

/**
 * Renders an uploaded picture in all sizes, stores them, and has `commit` refer to them. Files that nothing refers to
 * afterwards are removed.
 *
 * @throws Problem `unsupported_media`, `invalid_input`; JobStopped once the caller is gone
 */
export async function savePhoto<T>(
  context: Context,
  { path: file, gone }: UploadedPhoto,
  commit: (imageUrl: string) => Promise<T>,
): Promise<T> {
  if (!(await pictureKind(file))) {
    throw new Problem('unsupported_media', elderTexts.invalidFileType.description)
  }
  const sizes = await webpSizes(file, elderPhoto.widths, gone).catch(refuse)
  const hash = createHash('sha256')
  for (const bytes of sizes) hash.update(bytes)
  const name = hash.digest('hex')
  return oneAtATime(name, () => settleAndCommit(context, name, sizes, commit))
}

/**
 * Runs `commit`, which refers to an existing photo, while the photo is locked against removal.
 *
 * @throws Problem `invalid_input` where there is no photo at this address
 */
export async function withPhoto<T>(
  context: Pick<Context, 'storage'>,
  imageUrl: string | null | undefined,
  commit: () => Promise<T>,
): Promise<T> {
  if (!imageUrl) return commit()
  return oneAtATime(photoHash(imageUrl) ?? imageUrl, async () => {
    if (!(await photoExists(context, imageUrl))) throw new Problem('invalid_input', elderTexts.foreignImage)
    return commit()
  })
}

async function photoExists({ storage }: Pick<Context, 'storage'>, imageUrl: string): Promise<boolean> {
  const hash = photoHash(imageUrl)
  return (
    hash !== undefined && (await storage.stat('images', photoName(hash, elderPhoto.shownWidth))) !== undefined
  )
}

/** Removes a photo that no elder has any more; call it after the commit. A failure leaves it to the sweep. */
export async function removeUnusedPhoto(context: Context, imageUrl: string | null): Promise<void> {
  const hash = imageUrl ? photoHash(imageUrl) : undefined
  if (hash) await oneAtATime(hash, () => removeIfUnused(context, hash))
}

/**
 * Removes photos that crashes and lost connections left behind: older than an hour and used by no elder. Younger ones may
 * belong to an upload in progress.
 *
 * @returns how many files were removed
 */
export async function sweepPhotos({ sql, storage, clock }: Context): Promise<number> {
  const limit = clock.now().getTime() - 60 * 60_000
  const old: string[] = []
  for await (const { name, modifiedAt } of storage.list('images')) {
    if (photoHash(`/images/${name}`) && modifiedAt.getTime() < limit) old.push(name)
  }
  const used = await usedPhotos(sql)
  let removed = 0
  for (const name of old.filter((one) => !used.has(hashOf(one)))) {
    // Checked again under the photo's lock.
    await oneAtATime(hashOf(name), async () => {
      if ((await usedPhotos(sql)).has(hashOf(name))) return
      if (await storage.remove('images', name)) removed += 1
    })
  }
  return removed
}

const hashOf = (name: string) => name.slice(0, 64)

const usedPhotos = async (sql: Context['sql']) => new Set((await photoAddresses(sql)).map(photoHash))

/** Per photo, so that none is removed while a change begins to use it. */
const oneAtATime = keyLock()

async function removeIfUnused({ sql, storage, log }: Context, hash: string): Promise<void> {
  try {
    if ((await usedPhotos(sql)).has(hash)) return
    for (const width of elderPhoto.widths) await storage.remove('images', photoName(hash, width))
  } catch (error) {
    log.warn({ err: error, hash }, 'an unused photo could not be removed yet')
  }
}

async function settleAndCommit<T>(
  context: Context,
  hash: string,
  sizes: readonly Buffer[],
  commit: (imageUrl: string) => Promise<T>,
): Promise<T> {
  const settled: Settlement[] = []
  try {
    for (const [at, bytes] of sizes.entries()) {
      settled.push(await settle(context, photoName(hash, elderPhoto.widths[at]!), bytes))
    }
    return await commit(photoAddress(hash))
  } finally {
    for (const settlement of settled) await settlement.keep()
    // Whether the commit succeeded is read from the database.
    await removeIfUnused(context, hash)
  }
}

async function settle({ storage }: Context, name: string, bytes: Buffer): Promise<Settlement> {
  const staged = await storage.stage()
  try {
    await staged.write([bytes])
    return await storage.settle(staged, 'images', name)
  } finally {
    await staged.discard()
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof PictureRefused)) throw error
  const sentence = error.why === 'damaged' ? elderTexts.damagedImage : elderTexts.imageTooManyPixels
  throw new Problem('invalid_input', sentence)
}
