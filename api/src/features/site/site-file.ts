import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { photoHash, photoName } from '@fellowship/schema/elders/elder-photo'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { Problem } from '@fellowship/schema/problem'
import { type Site, siteFields, sitePictures } from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { z } from 'zod'
import type { AuditActor } from '../../db/audit-log.ts'
import { readPart } from '../../machine/storage/blob-store.ts'
import { changeSite, changeSitePicture, readSite, type SiteStore } from './site.ts'

const pictureFields = ['logo', ...sitePictures] as const

/** A picture as part of the file: its bytes in a data address, or null for that of this product. */
const picture = z
  .string()
  .regex(/^data:image\/(?:png|svg\+xml|jpeg|webp);base64,[A-Za-z0-9+/]+=*$/, { error: siteTexts.pictureData })
  .nullable()

const siteFile = z
  .strictObject({ ...siteFields.shape, logo: picture, building: picture, hero: picture, share: picture })
  .partial()
type SiteFile = z.infer<typeof siteFile>

/** The identity of the site with its pictures, as JSON that people can keep and compare. */
export async function exportSite(store: Pick<SiteStore, 'sql' | 'config' | 'storage'>): Promise<string> {
  return `${JSON.stringify(await fileOf(store, await readSite(store)), null, 2)}\n`
}

async function fileOf(store: Pick<SiteStore, 'storage'>, site: Site): Promise<SiteFile> {
  const file: SiteFile = {}
  for (const name of Object.keys(siteFields.shape)) Object.assign(file, { [name]: site[name as keyof Site] })
  for (const field of pictureFields) file[field] = await dataOf(store, site[field])
  // In the order of the declaration, in which a database does not keep the parts of a field.
  return siteFile.parse(file)
}

/** Those of photos in their largest size; null if the file is missing. */
async function dataOf(
  { storage }: Pick<SiteStore, 'storage'>,
  imageUrl: string | null,
): Promise<string | null> {
  if (!imageUrl) return null
  const hash = photoHash(imageUrl)
  const wide = hash && photoName(hash, elderPhoto.wideWidth)
  const name = wide && (await storage.stat('images', wide)) ? wide : imageUrl.slice('/images/'.length)
  await using file = await storage.open('images', name)
  const type = name.endsWith('.png') ? 'png' : 'webp'
  return file ? `data:image/${type};base64,${(await readPart(file, 0, file.bytes)).toString('base64')}` : null
}

/**
 * Sets the site's fields to those of a file; a field that is missing in the file stays. Equal fields are not written, so that
 * importing an export changes nothing.
 *
 * @returns the changed fields
 * @throws Problem `invalid_input` with a sentence for each wrong field; nothing is changed then
 */
export async function importSite(store: SiteStore, text: string, actor: AuditActor): Promise<string[]> {
  const given = readSiteFile(text)
  const now = await fileOf(store, await readSite(store))
  const changed = (Object.keys(given) as (keyof SiteFile)[]).filter(
    (name) => JSON.stringify(given[name]) !== JSON.stringify(now[name]),
  )
  // Pictures first: their bytes can still be refused.
  for (const field of pictureFields.filter((name) => changed.includes(name) && given[name]))
    await takePicture(store, field, given[field]!, actor)
  const rest = changed.filter(
    (name) => !(pictureFields as readonly string[]).includes(name) || given[name] === null,
  )
  await changeSite(store, Object.fromEntries(rest.map((name) => [name, given[name]])), actor)
  return changed
}

function readSiteFile(text: string): SiteFile {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Problem('invalid_input', `It is not JSON: ${(error as Error).message}.`)
  }
  const { data, error } = siteFile.safeParse(json)
  if (data) return data
  const sentences = error.issues.map(({ path: at, message }) =>
    at.length > 0 ? `${at.join('.')}: ${message}` : message,
  )
  throw new Problem('invalid_input', sentences.join('\n'))
}

async function takePicture(
  store: SiteStore,
  field: (typeof pictureFields)[number],
  data: string,
  actor: AuditActor,
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'site-'))
  try {
    const file = path.join(folder, field)
    await writeFile(file, Buffer.from(data.slice(data.indexOf(',') + 1), 'base64'))
    await changeSitePicture(store, field, { path: file }, actor).catch((error: unknown) => {
      throw error instanceof Problem ? new Problem(error.code, `${field}: ${error.message}`) : error
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
