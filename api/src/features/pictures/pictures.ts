import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import {
  coverHash,
  coverName,
  logoHash,
  logoName,
  shareHash,
  shareName,
  photoAddress,
  photoHash,
  photoName,
  wideWidths,
} from '@fellowship/schema/elders/elder-photo'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { artwork } from '@fellowship/schema/feed/feed.limits'
import { Problem } from '@fellowship/schema/problem'
import { siteLimits } from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import type { Context } from '../../context.ts'
import { callerGone } from '../../http/caller.ts'
import { receiveFile, type FileRules } from '../../http/upload-stream.ts'
import { coverOf, logoOf, pictureKind, PictureRefused, webpSizes } from '../../machine/picture/pictures.ts'
import { settleBytes, type Settlement } from '../../machine/storage/storage.ts'
import { type PictureKind, type UsedPicture, usedPictures } from './pictures.sql.ts'

export { type UsedPicture, usedPictures } from './pictures.sql.ts'

/** The parts of the product that pictures need; an operator's command has them too. */
export type PictureStore = Pick<Context, 'sql' | 'storage' | 'locks' | 'log'>

/**
 * Renders an uploaded picture in all sizes, stores them, and calls `commit` to refer to them. Unreferenced files
 * are removed afterwards.
 *
 * @param kind a series' picture is stored as the cover of its podcast too, those of a page and of shared links in the size of
 *   shared links too, and those that span a page in one more width
 *
 * @throws Problem `unsupported_media`, `invalid_input`; JobStopped when the caller disconnects
 */
export async function savePicture<T>(
  context: PictureStore,
  { path: file, gone }: UploadedPicture,
  kind: Exclude<PictureKind, 'logo'>,
  commit: (imageUrl: string) => Promise<T>,
): Promise<T> {
  if (!(await pictureKind(file))) {
    throw new Problem('unsupported_media', elderTexts.invalidFileType.description)
  }
  const widths = kind === 'site' || kind === 'page' ? wideWidths : elderPhoto.widths
  const sizes = await webpSizes(file, widths, gone).catch(refuse)
  const side = elderPhoto.coverSide
  const cover = kind === 'series' ? await coverOf(file, [side, side], gone).catch(refuse) : undefined
  const { width, height } = artwork.share
  const share =
    kind === 'share' || kind === 'page' ? await coverOf(file, [width, height], gone).catch(refuse) : undefined
  const digest = createHash('sha256')
  for (const bytes of sizes) digest.update(bytes)
  const hash = digest.digest('hex')
  const files: [name: string, bytes: Buffer][] = sizes.map((bytes, at) => [
    photoName(hash, widths[at]!),
    bytes,
  ])
  if (cover) files.push([coverName(hash), cover])
  if (share) files.push([shareName(hash), share])
  return oneAtATime(context, hash, () =>
    settleAndCommit(context, { hash, address: photoAddress(hash) }, files, commit),
  )
}

/**
 * Renders a logo, PNG or SVG by its content, as a PNG; what else a drawing holds is left behind with it.
 *
 * @throws Problem `unsupported_media`, `invalid_input`; JobStopped when the caller disconnects
 */
export async function saveLogo<T>(
  context: PictureStore,
  { path: file, gone }: UploadedPicture,
  commit: (imageUrl: string) => Promise<T>,
): Promise<T> {
  const kind = await logoKind(file)
  if (!kind) throw new Problem('unsupported_media', siteTexts.logoType)
  if (kind === 'svg') assertPlainDrawing(await readFile(file, 'utf8'))
  const bytes = await logoOf(file, kind, gone).catch(refuse)
  const hash = createHash('sha256').update(bytes).digest('hex')
  const name = logoName(hash)
  return oneAtATime(context, hash, () =>
    settleAndCommit(context, { hash, address: `/images/${name}` }, [[name, bytes]], commit),
  )
}

async function logoKind(file: string): Promise<'png' | 'svg' | undefined> {
  if ((await pictureKind(file)) === 'png') return 'png'
  await using handle = await open(file, 'r')
  const head = (await handle.read(Buffer.alloc(4096), 0, 4096, 0)).buffer.toString('utf8')
  return /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!DOCTYPE svg[^>[]*>\s*)?<svg[\s>]/i.test(
    head,
  )
    ? 'svg'
    : undefined
}

/** No drawing of a logo needs these, and each could show something else later, or elsewhere. */
const foreignParts =
  /<script|<foreignObject|<!ENTITY|\son\w+\s*=|@import|href\s*=\s*["'](?!#|data:image\/(?:png|jpeg);)|url\(\s*["']?(?!#)/i

function assertPlainDrawing(svg: string): void {
  if (svg.length > siteLimits.drawing) throw new Problem('too_large', siteTexts.logoTooLong)
  if (foreignParts.test(svg.replaceAll(/\sxmlns(?::\w+)?\s*=\s*(?:"[^"]*"|'[^']*')/g, '')))
    throw new Problem('invalid_input', siteTexts.logoForeign)
}

/**
 * Runs `commit`, which refers to an existing photo, while the photo is locked against removal.
 *
 * @throws Problem `invalid_input` if there is no photo at this address
 */
export async function withPicture<T>(
  context: Pick<Context, 'storage' | 'locks'>,
  imageUrl: string | null | undefined,
  commit: () => Promise<T>,
): Promise<T> {
  if (!imageUrl) return commit()
  return oneAtATime(context, photoHash(imageUrl) ?? imageUrl, async () => {
    if (!(await pictureExists(context, imageUrl))) throw new Problem('invalid_input', elderTexts.foreignImage)
    return commit()
  })
}

async function pictureExists({ storage }: Pick<Context, 'storage'>, imageUrl: string): Promise<boolean> {
  const hash = photoHash(imageUrl)
  return (
    hash !== undefined && (await storage.stat('images', photoName(hash, elderPhoto.shownWidth))) !== undefined
  )
}

/** Removes a picture that no row has any more; call it after the commit. A failure leaves it to the sweep. */
export async function removeUnusedPicture(context: PictureStore, imageUrl: string | null): Promise<void> {
  const hash = imageUrl ? pictureHash(imageUrl) : undefined
  if (!hash) return
  await oneAtATime(context, hash, () => removeIfUnused(context, hash)).catch((error: unknown) =>
    notRemoved(context, error, hash),
  )
}

/**
 * Removes pictures that crashes and lost connections left behind: older than an hour and used by no row. Younger ones may
 * belong to an upload in progress.
 *
 * @returns how many files were removed
 */
export async function sweepPictures(context: Context): Promise<number> {
  const { sql, storage, clock } = context
  const limit = clock.now().getTime() - 60 * 60_000
  const old: string[] = []
  for await (const { name, modifiedAt } of storage.list('images')) {
    if (pictureHash(`/images/${name}`) && modifiedAt.getTime() < limit) old.push(name)
  }
  const used = await usedHashes(sql)
  let removed = 0
  for (const name of old.filter((one) => !used.has(hashOf(one)))) {
    // Checked again under the photo's lock.
    await oneAtATime(context, hashOf(name), async () => {
      if ((await usedHashes(sql)).has(hashOf(name))) return
      if (await storage.remove('images', name)) removed += 1
    })
  }
  return removed
}

const pictureHash = (url: string) => photoHash(url) ?? coverHash(url) ?? shareHash(url) ?? logoHash(url)

/** The names of the files that a picture of each kind has. */
const filesOfKind: Readonly<Record<PictureKind, (hash: string) => string[]>> = {
  photo: (hash) => elderPhoto.widths.map((width) => photoName(hash, width)),
  series: (hash) => [...filesOfKind.photo(hash), coverName(hash)],
  page: (hash) => [...filesOfKind.site(hash), shareName(hash)],
  site: (hash) => wideWidths.map((width) => photoName(hash, width)),
  share: (hash) => [...filesOfKind.photo(hash), shareName(hash)],
  logo: (hash) => [logoName(hash)],
}

/** The names of the files that rows need of a picture. */
export function pictureFiles({ imageUrl, kinds }: UsedPicture): string[] {
  const hash = pictureHash(imageUrl)
  return hash === undefined ? [] : [...new Set(kinds.flatMap((kind) => filesOfKind[kind](hash)))]
}

const hashOf = (name: string) => name.slice(0, 64)

const usedHashes = async (sql: Context['sql']) =>
  new Set((await usedPictures(sql)).map(({ imageUrl }) => pictureHash(imageUrl)))

/** Per photo, so that none is removed while a change begins to use it, also by another process. */
const oneAtATime = <T>(
  { locks }: Pick<Context, 'locks'>,
  photo: string,
  work: () => Promise<T>,
): Promise<T> => locks.run(`picture ${photo}`, work)

async function removeIfUnused(context: PictureStore, hash: string): Promise<void> {
  const { sql, storage } = context
  try {
    if ((await usedHashes(sql)).has(hash)) return
    const names = Object.values(filesOfKind).flatMap((of) => of(hash))
    for (const name of new Set(names)) await storage.remove('images', name)
  } catch (error) {
    notRemoved(context, error, hash)
  }
}

const notRemoved = ({ log }: Pick<Context, 'log'>, error: unknown, hash: string) =>
  log.warn({ err: error, hash }, 'an unused photo could not be removed yet')

async function settleAndCommit<T>(
  context: PictureStore,
  { hash, address }: { hash: string; address: string },
  files: readonly [name: string, bytes: Buffer][],
  commit: (imageUrl: string) => Promise<T>,
): Promise<T> {
  const settled: Settlement[] = []
  try {
    for (const [name, bytes] of files) settled.push(await settleBytes(context.storage, 'images', name, bytes))
    return await commit(address)
  } finally {
    // If this fails, the next start repeats it: the change itself is written, or refused with its own reason.
    for (const settlement of settled)
      await settlement
        .keep()
        .catch((error: unknown) =>
          context.log.error({ err: error, hash }, 'a stored photo was not tidied up after'),
        )
    // Whether the commit succeeded is read from the database.
    await removeIfUnused(context, hash)
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof PictureRefused)) throw error
  const sentence = error.why === 'damaged' ? elderTexts.damagedImage : elderTexts.imageTooManyPixels
  throw new Problem('invalid_input', sentence)
}

/** A picture as it arrived. */
export interface UploadedPicture {
  readonly path: string
  /** Aborted when the uploader disconnects: ends the conversion. */
  readonly gone?: AbortSignal | undefined
}

/**
 * Receives the one picture of a form, under 5 MB, and removes the file once `take` is done with it.
 *
 * @param form its `part` is the name of the file's part
 * @throws Problem `invalid_input` without a file, `too_large`, and any error of `take`
 */
export function receivePicture<T>(
  context: Context,
  form: Pick<FileRules, 'http' | 'part' | 'checkCsrfField'>,
  take: (picture: UploadedPicture) => Promise<T>,
): Promise<T> {
  const { invalidFileType, fileTooLarge } = elderTexts
  const maxBytes = elderPhoto.maxBytes - 1
  const rules = { ...form, maxBytes, tooLarge: fileTooLarge.description, none: invalidFileType.description }
  return receiveFile(context, rules, ({ staged }) => take({ path: staged.path, gone: callerGone(form.http) }))
}
