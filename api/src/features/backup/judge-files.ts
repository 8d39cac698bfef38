import { handoutOfFile } from '@fellowship/schema/handouts/handout-file'
import { handoutLimits } from '@fellowship/schema/handouts/handouts.limits'
import { storedKinds, type StoredKind } from '../../machine/storage/blob-store.ts'
import type { Archive } from '../../machine/zip/unzip.ts'
import { originalName } from '../audio/audio.ts'
import { pdfFault } from '../handouts/handouts.ts'
import { type Manifest, type ManifestFile, RestoreRefusal } from './manifest.ts'

/** Whether files of this kind go into the blob store. */
export const isStored = (kind: ManifestFile['kind']): kind is StoredKind =>
  (storedKinds as readonly string[]).includes(kind)

/**
 * Checks presence, length and hash of every file, and returns the damaged ones if they may be skipped. If a file decays on
 * disk, every later backup contains it, and must stay usable.
 */
export async function judgeFiles(
  archive: Archive,
  about: Manifest,
  withoutDamaged: boolean,
): Promise<string[]> {
  const damaged: string[] = []
  for (const [at, { name, bytes, sha256, kind, storedAs }] of about.files.entries()) {
    const found = archive.entries.get(name)
    if (found !== bytes)
      throw new RestoreRefusal(`${name} is ${found === undefined ? 'missing' : 'cut short'}.`)
    if (isStored(kind) && !storedAs)
      throw new RestoreRefusal(`manifest.json does not say where ${name} belongs.`)
    const misplaced = misplacement(about.files[at]!)
    if (misplaced !== undefined) throw new RestoreRefusal(`${name} ${misplaced}. Take another backup.`)
    if ((await archive.sha256(name).catch(() => undefined)) === sha256) {
      if (kind === 'images' && (await headOf(archive, name)) === undefined)
        throw new RestoreRefusal(`${name} is no picture. Take another backup.`)
      if (kind === 'handouts' && !(await isHandout(archive, about.files[at]!)))
        throw new RestoreRefusal(`${name} is no handout of its type. Take another backup.`)
      continue
    }
    if (isStored(kind) && withoutDamaged) damaged.push(name)
    else {
      const orWithout = isStored(kind) ? ' Or say --without-damaged: then all but such files comes back.' : ''
      throw new RestoreRefusal(
        `${name} is damaged. Download the backup again, or take an older one.${orWithout}`,
      )
    }
  }
  return damaged
}

/** Recordings and handouts are named after their bytes, and pictures after those they were made from. */
function misplacement({ kind, sha256, storedAs = '', original }: ManifestFile): string | undefined {
  if (kind === 'images') return storedPicture.test(storedAs) ? undefined : 'has no name of a picture'
  if (kind === 'handouts')
    return handoutOfFile(storedAs)?.hash === sha256 ? undefined : 'is named after another handout'
  if (kind !== 'audio') return undefined
  const isOwn = original ? storedAs === originalName(sha256) : storedAs.startsWith(`${sha256}.`)
  return isOwn ? undefined : 'is named after another recording'
}

const storedPicture = /^[0-9a-f]{64}-(?:\d+\.webp|(?:cover|share)\.jpg|logo\.png)$/

/** The format of a picture by its first bytes; undefined for anything else. */
async function headOf(archive: Archive, name: string): Promise<'webp' | 'jpg' | 'png' | undefined> {
  const stream = await archive.open(name)
  for await (const chunk of stream) {
    const head = (chunk as Buffer).subarray(0, 12).toString('latin1')
    const [, webp, jpg, png] = /^(?:(RIFF[^]{4}WEBP)|(\xff\xd8\xff)|(\x89PNG))/.exec(head) ?? []
    return webp ? 'webp' : jpg ? 'jpg' : png ? 'png' : undefined
  }
  return undefined
}

/** Whether its content is of the type that it is sent as, by the rule for a new one. */
async function isHandout(archive: Archive, { name, bytes, storedAs = '' }: ManifestFile): Promise<boolean> {
  const type = handoutOfFile(storedAs)?.type
  if (bytes > handoutLimits.bytes) return false
  if (type !== 'pdf') return (await headOf(archive, name)) === type
  return pdfFault(await archive.read(name, handoutLimits.bytes)) === undefined
}
