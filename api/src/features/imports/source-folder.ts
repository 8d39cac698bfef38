import { createReadStream, openAsBlob } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { churchDate, isPlainDate } from '@fellowship/schema/dates'
import type { ImportAnswers } from '@fellowship/schema/imports/imports.contract'
import { importLimits as limits } from '@fellowship/schema/imports/imports.limits'
import { importTexts as texts } from '@fellowship/schema/imports/imports.texts'
import type { IncomingTeaching } from '@fellowship/schema/imports/incoming-teaching'
import { captionEndings } from '@fellowship/schema/transcripts/caption-names'
import { readName } from '@fellowship/schema/uploads/parse-filename'
import { recordingEndings } from '@fellowship/schema/uploads/uploads.limits'
import { readTags } from '@fellowship/sound/read/metadata'
import { openArchive } from '../../machine/zip/unzip.ts'
import { incomingOf, oldestFirst, SourceRefused, type ReadSource } from './incoming.ts'
import { exportTables, readCsv, readSeriesTable } from './source-csv.ts'
import { textOfBytes } from './text-of-bytes.ts'

/** Files of a folder or of a ZIP archive on this machine, by their paths inside. */
interface Files {
  readonly sizes: ReadonlyMap<string, number>
  open(name: string): Promise<Readable>
  /** The tags of a recording; of one in an archive those at its beginning, as the end needs the whole of it. */
  tags(name: string): ReturnType<typeof readTags>
  close(): void
}

/**
 * Reads a folder or ZIP of recordings: by the table in it, if there is one, else by the names and tags of the recordings.
 *
 * @throws SourceRefused
 */
export async function readFolder(
  source: string,
  answers: Pick<ImportAnswers, 'columns' | 'dateOrder'>,
  name = source,
): Promise<ReadSource> {
  const files = await filesAt(source)
  try {
    const tables = [...files.sizes].filter(([name]) => /^[^/]+\.csv$/i.test(name))
    const table = tables.find(([name]) => name === exportTables.teachings) ?? tables[0]
    if (table) {
      const read = withSizes(readCsv(await textOf(files, ...table), answers, ''), files)
      const ofSeries = files.sizes.get(exportTables.series)
      if (table[0] !== exportTables.teachings || ofSeries === undefined) return read
      return { ...read, series: readSeriesTable(await textOf(files, exportTables.series, ofSeries)) }
    }
    const recordings = [...files.sizes.keys()].filter(isRecording).sort()
    if (recordings.length > limits.items) throw new SourceRefused(texts.tooMany)
    const items: IncomingTeaching[] = []
    for (const recording of recordings) items.push(await itemOf(recording, files))
    return { title: path.basename(name), podcastGuid: null, feeds: [], items: oldestFirst(items, false) }
  } finally {
    files.close()
  }
}

/**
 * Opens a recording or a picture of a folder or ZIP.
 *
 * @throws SourceRefused if it is not there
 */
export async function openFileIn(source: string, named: string): Promise<Readable> {
  const name = oneForm(named)
  const files = await filesAt(source)
  const close = () => files.close()
  try {
    if (!files.sizes.has(name)) throw new SourceRefused(texts.noFile(name))
    const stream = await files.open(name)
    stream.once('close', close)
    return stream
  } catch (error) {
    close()
    throw error
  }
}

const isRecording = (name: string): boolean =>
  !path.basename(name).startsWith('.') &&
  !name.startsWith('__MACOSX/') &&
  recordingEndings.some((ending) => name.toLowerCase().endsWith(`.${ending}`))

async function textOf(files: Files, name: string, size: number): Promise<string> {
  if (size > limits.documentBytes) throw new SourceRefused(texts.tooMany)
  const parts: Buffer[] = []
  for await (const part of await files.open(name)) parts.push(part as Buffer)
  return textOfBytes(Buffer.concat(parts))
}

/** A table names its recordings by their paths, or by their names alone. */
function withSizes(read: ReadSource, { sizes }: Files): ReadSource {
  const byName = new Map([...sizes.keys()].map((name) => [path.posix.basename(name), name]))
  const items = read.items.map((item) => {
    if (item.audio === '' || /^https?:/.test(item.audio)) return item
    const wanted = oneForm(item.audio).replaceAll('\\', '/').replace(/^\.\//, '')
    const name = sizes.has(wanted) ? wanted : (byName.get(path.posix.basename(wanted)) ?? wanted)
    return {
      ...item,
      audio: name,
      bytes: sizes.get(name) ?? null,
      transcript: item.transcript || beside(name, sizes),
    }
  })
  return { ...read, items }
}

/** The path of a caption file with the name of a recording; empty if there is none. */
const beside = (recording: string, sizes: Files['sizes']): string =>
  captionEndings
    .map((ending) => recording.replace(/\.[^./]*$/, `.${ending}`))
    .find((name) => name !== recording && sizes.has(name)) ?? ''

async function itemOf(name: string, files: Files): Promise<IncomingTeaching> {
  const base = path.posix.basename(name)
  const { doubts, ...named } = readName(base, churchDate(new Date()))
  const tags = doubts.length > 0 ? await files.tags(name) : {}
  const stem = base.replace(/\.[^.]+$/, '').replace(/[_\s]+/g, ' ')
  const isConvention = doubts.length === 0
  const incoming = incomingOf({
    guid: `file:${name}`,
    title: isConvention ? named.title : tags.title || named.title || withoutDate(stem),
    speaker: isConvention ? named.speaker : tags.speaker || named.speaker,
    date: named.date || dateIn(base) || tags.date || '',
    scripture: named.scriptureReference,
    // The folder of a recording often is its series.
    series: name.includes('/') ? path.posix.basename(path.posix.dirname(name)) : '',
    audio: name,
    bytes: files.sizes.get(name) ?? null,
  })
  return { ...incoming, transcript: beside(name, files.sizes) }
}

/** A date in a name, the year first: 2020-11-22, 2020.11.22 or 20201122. */
function dateIn(name: string): string {
  const [, year, month, day] = /(?<!\d)((?:19|20)\d\d)[-._ ]?(\d\d)[-._ ]?(\d\d)(?!\d)/.exec(name) ?? []
  const date = `${year}-${month}-${day}`
  return isPlainDate(date) ? date : ''
}

const withoutDate = (stem: string) => stem.replace(/^[\d\s._-]{6,}(?=\p{L})/u, '').trim()

async function filesAt(source: string): Promise<Files> {
  const facts = await stat(source).catch(() => undefined)
  if (!facts) throw new SourceRefused(texts.noFile(path.basename(source)))
  const files = facts.isDirectory()
    ? await filesOfFolder(await realpath(source))
    : await filesOfArchive(source)
  return inOneForm(files)
}

const oneForm = (name: string) => name.normalize('NFC')

/** Names as a table writes them: file systems of a Mac hold the accents of a letter apart from it. */
function inOneForm(files: Files): Files {
  const stored = new Map([...files.sizes.keys()].map((name) => [oneForm(name), name]))
  const at = (name: string) => stored.get(name) ?? name
  return {
    sizes: new Map([...stored].map(([name, own]) => [name, files.sizes.get(own)!])),
    open: (name) => files.open(at(name)),
    tags: (name) => files.tags(at(name)),
    close: () => files.close(),
  }
}

async function filesOfFolder(root: string): Promise<Files> {
  const sizes = new Map<string, number>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    // A link may lead out of the folder.
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    sizes.set(path.relative(root, file).split(path.sep).join('/'), (await stat(file)).size)
  }
  const at = (name: string) => path.join(root, ...name.split('/'))
  return {
    sizes,
    open: async (name) => createReadStream(at(name)),
    tags: async (name) => readTags(await openAsBlob(at(name))),
    close: () => undefined,
  }
}

/** The beginning of a recording, where tags mostly are. */
async function headOf(stream: Readable): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream) {
    parts.push(part as Buffer)
    bytes += (part as Buffer).length
    if (bytes >= headBytes) break
  }
  return new Uint8Array(Buffer.concat(parts))
}

const headBytes = 256 * 1024

async function filesOfArchive(file: string): Promise<Files> {
  const archive = await openArchive(file).catch(() => {
    throw new SourceRefused(texts.notRead)
  })
  return {
    sizes: new Map([...archive.entries].filter(([name]) => !name.endsWith('/'))),
    open: (name) => archive.open(name),
    tags: async (name) => readTags(new Blob([await headOf(await archive.open(name))])),
    close: () => archive.close(),
  }
}
