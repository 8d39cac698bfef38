import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { photoHash, photoName } from '@fellowship/schema/elders/elder-photo'
import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { handoutAddress, handoutFile } from '@fellowship/schema/handouts/handout-file'
import type { Series } from '@fellowship/schema/series/series.schema'
import { downloadName } from '@fellowship/schema/teachings/download-name'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import type { StoredKind } from '../../machine/storage/blob-store.ts'
import { wholeFeed } from '../feed/feed.ts'
import { listSeries } from '../series/series.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { approvedVtt } from '../transcripts/transcripts.ts'
import { handoutsOf, type WrittenHandouts } from './exported-handouts.ts'
import { guidsOfTeachings } from './imports.sql.ts'
import { exportColumns, exportTables, handoutLine, seriesColumns, writeCsv } from './source-csv.ts'

/** The folder has files already, which are not replaced. */
export class FolderNotEmpty extends Error {
  override readonly name = 'FolderNotEmpty'
}

export interface ExportReport {
  readonly teachings: number
  /** Addresses of recordings and handouts whose file is missing. */
  readonly missing: readonly string[]
}

/**
 * Writes the library into a folder: a table, the whole feed, recordings and their
 * approved texts under readable names, handouts, and pictures of series. An
 * import of the folder brings all of it back. It is written aside, and renamed when it is complete.
 *
 * @param origin of the addresses in the feed, without a slash at its end
 * @throws FolderNotEmpty, and errors of the disk
 */
export async function exportLibrary(
  { sql, storage }: Pick<Context, 'sql' | 'storage'>,
  folder: string,
  origin: string,
): Promise<ExportReport> {
  if ((await readdir(folder).catch(() => [])).length > 0) throw new FolderNotEmpty(folder)
  const aside = `${folder}.unfinished`
  await rm(aside, { recursive: true, force: true })
  await mkdir(path.join(aside, 'recordings'), { recursive: true })
  try {
    const [teachings, series, guidRows] = await Promise.all([
      liveTeachings(sql),
      listSeries({ sql }),
      guidsOfTeachings(sql),
    ])
    const guids = new Map(guidRows.map(({ uid, guid }) => [uid, guid]))
    const names = namesOf(teachings)
    const missing = await copyRecordings(storage, teachings, names, aside)
    await writeTexts(sql, names, aside)
    const handouts = handoutsOf(teachings, names)
    missing.push(...(await copyHandouts(storage, handouts, aside)))
    const pictures = await copyPictures(storage, series, aside)
    const rows = teachings.map((teaching) => rowOf(teaching, { guids, names, series, handouts }))
    await writeFile(path.join(aside, exportTables.teachings), writeCsv(exportColumns, rows))
    const live = new Set(teachings.map(({ uid }) => uid))
    const parts = series.map((each) => [
      each.title,
      each.description,
      pictures.get(each.uid) ?? '',
      each.teachings
        .filter((uid) => live.has(uid))
        .map((uid) => guids.get(uid) ?? uid)
        .join('\n'),
    ])
    if (parts.length > 0)
      await writeFile(path.join(aside, exportTables.series), writeCsv(seriesColumns, parts))
    await writeFile(path.join(aside, 'feed.xml'), await wholeFeed({ sql }, { teachings, guids, origin }))
    await rm(folder, { recursive: true, force: true })
    await rename(aside, folder)
    return { teachings: teachings.length, missing }
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    throw error
  }
}

type Names = ReadonlyMap<string, string>

/** Readable names of recordings by uid; equal ones are numbered. */
function namesOf(teachings: readonly Teaching[]): Names {
  const taken = new Set<string>()
  const names = new Map<string, string>()
  for (const teaching of teachings) {
    if (!teaching.audioUrl) continue
    const extension = path.extname(teaching.audioUrl).slice(1) as AudioExtension
    const wanted = downloadName(teaching, extension)
    let name = wanted
    for (let number = 2; taken.has(name.toLowerCase()); number += 1)
      name = wanted.replace(/(\.\w+)$/, `_${number}$1`)
    taken.add(name.toLowerCase())
    names.set(teaching.uid, `recordings/${name}`)
  }
  return names
}

function rowOf(
  { uid, title, speaker, date, scriptureReference, description, chapters }: Teaching,
  {
    guids,
    names,
    series,
    handouts,
  }: { guids: Names; names: Names; series: readonly Series[]; handouts: WrittenHandouts },
): string[] {
  const within = series.filter(({ teachings }) => teachings.includes(uid)).map((each) => each.title)
  return [
    guids.get(uid) ?? uid,
    title,
    speaker,
    date,
    scriptureReference ?? '',
    description ?? '',
    within.join(' | '),
    names.get(uid) ?? '',
    chapters ?? '',
    (handouts.get(uid) ?? []).map(handoutLine).join('\n'),
  ]
}

async function copyRecordings(
  storage: Context['storage'],
  teachings: readonly Teaching[],
  names: Names,
  folder: string,
): Promise<string[]> {
  const missing: string[] = []
  for (const { uid, audioUrl } of teachings) {
    if (!audioUrl) continue
    const copied = await copyFile(
      storage,
      'audio',
      audioUrl.slice('/audio/'.length),
      path.join(folder, names.get(uid)!),
    )
    if (!copied) missing.push(audioUrl)
  }
  return missing
}

/** Approved texts beside their recordings, under the same names. */
async function writeTexts(sql: Context['sql'], names: Names, folder: string): Promise<void> {
  for (const [uid, name] of names) {
    const vtt = await approvedVtt({ sql }, uid)
    if (vtt !== undefined) await writeFile(path.join(folder, name.replace(/\.\w+$/, '.vtt')), vtt)
  }
}

/** @returns addresses of handouts whose file is missing */
async function copyHandouts(
  storage: Context['storage'],
  handouts: WrittenHandouts,
  folder: string,
): Promise<string[]> {
  const missing: string[] = []
  for (const { path: name, handout } of [...handouts.values()].flat()) {
    const target = path.join(folder, name)
    await mkdir(path.dirname(target), { recursive: true })
    if (!(await copyFile(storage, 'handouts', handoutFile(handout), target)))
      missing.push(handoutAddress(handout))
  }
  return missing
}

/** The paths of pictures by the uid of their series. */
async function copyPictures(
  storage: Context['storage'],
  series: readonly Series[],
  folder: string,
): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for (const { uid, slug, imageUrl } of series) {
    const hash = imageUrl ? photoHash(imageUrl) : undefined
    if (hash === undefined) continue
    await mkdir(path.join(folder, 'pictures'), { recursive: true })
    const name = `pictures/${slug}.webp`
    const copied = await copyFile(
      storage,
      'images',
      photoName(hash, elderPhoto.widths.at(-1)!),
      path.join(folder, name),
    )
    if (copied) paths.set(uid, name)
  }
  return paths
}

/** False if there is no such file. */
async function copyFile(
  storage: Context['storage'],
  kind: StoredKind,
  name: string,
  target: string,
): Promise<boolean> {
  const file = await storage.open(kind, name)
  if (!file) return false
  await using stored = file
  if (stored.bytes === 0) await writeFile(target, '')
  else await pipeline(Readable.from(await stored.read(0, stored.bytes - 1)), createWriteStream(target))
  return true
}
