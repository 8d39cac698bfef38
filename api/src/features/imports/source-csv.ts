import path from 'node:path'
import { isPlainDate } from '@fellowship/schema/dates'
import { handoutLimits } from '@fellowship/schema/handouts/handouts.limits'
import type { ImportAnswers } from '@fellowship/schema/imports/imports.contract'
import { importTexts as texts } from '@fellowship/schema/imports/imports.texts'
import {
  incomingSeries,
  type IncomingSeries,
  type IncomingTeaching,
} from '@fellowship/schema/imports/incoming-teaching'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import { foldText } from '@fellowship/schema/text-folding'
import Papa from 'papaparse'
import { importLimits as limits } from '@fellowship/schema/imports/imports.limits'
import { incomingOf, oldestFirst, plainIncoming, SourceRefused, type ReadSource } from './incoming.ts'

/** The columns of an export of this product, whose texts are plain. */
export const exportColumns = [
  'guid',
  'title',
  'speaker',
  'date',
  'scripture',
  'description',
  'series',
  'audio',
  'chapters',
  'handouts',
] as const

/** Exports of earlier releases have no handouts. */
const ownTables = [exportColumns, exportColumns.slice(0, -1)].map((columns) => columns.join())

/** A handout in a table: its path, and its own name if that cannot be the name of a file. */
export const handoutLine = ({ path: file, name }: IncomingTeaching['handouts'][number]): string =>
  name === path.posix.basename(file) ? file : `${file}|${name}`

/** The handouts of a cell, one on a line. */
function handoutsOf(cell: string): IncomingTeaching['handouts'] {
  const lines = cell.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.slice(0, handoutLimits.most + 1).map((line) => {
    const [given = '', ...name] = line.trim().slice(0, limits.address).split('|')
    const file = given.replaceAll('\\', '/').replace(/^\.\//, '')
    return { path: file, name: name.join(' ') || path.posix.basename(file) }
  })
}

/** The columns of the series of such an export: guids of the teachings in order, one on a line. */
export const seriesColumns = ['title', 'description', 'picture', 'teachings'] as const

/** The names of the two tables of an export. */
export const exportTables = { teachings: 'teachings.csv', series: 'all-series.csv' } as const

/** Reads the series of an export; rows that are no series are left out. */
export function readSeriesTable(text: string): IncomingSeries[] {
  const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    skipEmptyLines: 'greedy',
    preview: seriesLimits.all + 1,
  })
  const [head = [], ...rows] = data
  if (head.join() !== seriesColumns.join()) return []
  return rows.flatMap(([title, description = '', picture = '', teachings = '']) => {
    const guids = teachings.split('\n').filter((guid) => guid !== '')
    const read = incomingSeries.safeParse({ title, description, picture, guids })
    return read.success ? [read.data] : []
  })
}

/** A table with a header, by RFC 4180. */
export const writeCsv = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${Papa.unparse([[...columns], ...rows.map((row) => [...row])])}\r\n`

/** The fields that a column may hold, with the folded names by which it is guessed. */
const names: Readonly<Record<string, readonly string[]>> = {
  guid: ['guid', 'uid', 'id', 'uuid', 'identifier'],
  title: [
    'title',
    'sermon title',
    'sermon',
    'name',
    'message',
    'topic',
    'subject',
    'titel',
    'titre',
    'titulo',
  ],
  speaker: ['speaker', 'preacher', 'pastor', 'minister', 'author', 'teacher', 'prediger', 'predicador', 'by'],
  date: ['date', 'sermon date', 'preached', 'preached on', 'recorded', 'published', 'day', 'datum', 'fecha'],
  scripture: [
    'scripture',
    'scripture reference',
    'passage',
    'bible passage',
    'reference',
    'bible',
    'text',
    'verses',
  ],
  description: ['description', 'summary', 'notes', 'about', 'details', 'comments', 'content'],
  series: ['series', 'sermon series', 'series title', 'album', 'serie'],
  audio: [
    'audio',
    'audio url',
    'audio file',
    'mp3',
    'mp3 url',
    'url',
    'file',
    'filename',
    'recording',
    'media',
    'link to audio',
    'enclosure',
  ],
  picture: ['picture', 'image', 'image url', 'artwork', 'thumbnail'],
  chapters: ['chapters'],
  handouts: ['handouts'],
  page: ['page', 'link', 'permalink', 'page url', 'web page'],
}

/**
 * Reads a table of teachings. Its columns are guessed by their names, else by their contents, unless a person has named them.
 *
 * @param base from which relative addresses of recordings are resolved; empty if they are files of a folder
 * @throws SourceRefused
 */
export function readCsv(
  text: string,
  answers: Pick<ImportAnswers, 'columns' | 'dateOrder'>,
  base: string,
): ReadSource {
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    skipEmptyLines: 'greedy',
    preview: limits.items + 2,
  })
  if (errors.some(({ type }) => type === 'Quotes')) throw new SourceRefused(texts.csvQuotes)
  const [head = [], ...rest] = data
  if (head.length < 2) throw new SourceRefused(texts.notRead)
  const isHeader = !head.some((cell) => dateOf(cell, 'day') !== '' || /^https?:/.test(cell.trim()))
  const rows = isHeader ? rest : data
  const columns = head.map((cell, at) => (isHeader && cell.trim() !== '' ? cell.trim() : `Column ${at + 1}`))
  const guessed = { ...guess(columns, rows), ...answers.columns }
  const cellOf = (row: readonly string[], field: string) => {
    const at = columns.indexOf(guessed[field] ?? '')
    return at < 0 ? '' : (row[at] ?? '').trim()
  }
  const isOwn = ownTables.includes(columns.join())
  const order = orderOf(rows.map((row) => cellOf(row, 'date')))
  const items = rows.map((row, at) => {
    const audio = cellOf(row, 'audio')
    const title = cellOf(row, 'title')
    const date = dateOf(cellOf(row, 'date'), answers.dateOrder ?? order ?? 'day')
    // Without an identity of its own a row is known by what it is about; subscribers never saw it.
    const guid = cellOf(row, 'guid') || `file:${audio || `${date} ${title}`}`
    const raw = {
      guid,
      title,
      speaker: cellOf(row, 'speaker'),
      date,
      // Rows of one day stay in their order, whichever way the table is sorted.
      moment: at,
      scripture: cellOf(row, 'scripture'),
      description: cellOf(row, 'description'),
      series: cellOf(row, 'series'),
      audio: base !== '' && audio !== '' && URL.canParse(audio, base) ? new URL(audio, base).href : audio,
      picture: cellOf(row, 'picture'),
      chapterText: cellOf(row, 'chapters'),
      handouts: handoutsOf(cellOf(row, 'handouts')),
      pages: [cellOf(row, 'page')].filter((page) => /^https?:/.test(page)),
    }
    return isOwn ? plainIncoming(raw) : incomingOf(raw)
  })
  const dates = items.map(({ date }) => date).filter((date) => date !== '')
  const isNewestFirst = isOwn || (dates[0] ?? '') > (dates.at(-1) ?? '')
  const inOrder = isNewestFirst ? items.map((item, at) => ({ ...item, moment: items.length - at })) : items
  return {
    title: '',
    podcastGuid: null,
    feeds: [],
    items: oldestFirst(inOrder, isNewestFirst),
    columns,
    guessed,
    askDateOrder: order === undefined && answers.dateOrder === undefined,
  }
}

function guess(columns: readonly string[], rows: readonly (readonly string[])[]): Record<string, string> {
  const found: Record<string, string> = {}
  const isFree = (column: string) => !Object.values(found).includes(column)
  for (const [field, words] of Object.entries(names))
    for (const word of words) {
      const column = columns.find((each) => foldText(each) === word && isFree(each))
      if (column !== undefined && !(field in found)) found[field] = column
    }
  const holds = (test: (cell: string) => boolean) =>
    columns.find((column, at) => {
      const cells = rows
        .slice(0, 50)
        .flatMap((row) => ((row[at] ?? '').trim() === '' ? [] : [row[at]!.trim()]))
      return isFree(column) && cells.length > 0 && cells.every(test)
    })
  const byContent: [string, (cell: string) => boolean][] = [
    ['date', (cell) => dateOf(cell, 'day') !== '' || dateOf(cell, 'month') !== ''],
    ['audio', (cell) => /\.(?:mp3|m4a|wav|aac)(?:$|\?)/i.test(cell)],
  ]
  for (const [field, test] of byContent) {
    const column = field in found ? undefined : holds(test)
    if (column !== undefined) found[field] = column
  }
  return found
}

const numeric = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:\s.*)?$/

/** The order of day and month that fits all dates of the form 03/04/2020; undefined if both do. */
function orderOf(dates: readonly string[]): 'day' | 'month' | undefined {
  const read = dates.flatMap((date) => {
    const match = numeric.exec(date)
    return match ? [match] : []
  })
  if (read.length === 0) return 'day'
  if (read.some(([, first]) => Number(first) > 12)) return 'day'
  return read.some(([, , second]) => Number(second) > 12) ? 'month' : undefined
}

/** A date as tables have it, YYYY-MM-DD; empty if it is none. */
export function dateOf(text: string, order: 'day' | 'month'): string {
  const cell = text.trim()
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:$|[T\s])/.exec(cell)
  if (iso) return plain(iso[1]!, iso[2]!, iso[3]!)
  const written = numeric.exec(cell)
  if (written) {
    const [, one = '', two = '', year = ''] = written
    return order === 'day' ? plain(year, two, one) : plain(year, one, two)
  }
  // Days since 1899-12-30, as spreadsheets count.
  if (/^[2-6]\d{4}(?:\.\d+)?$/.test(cell))
    return new Date(Date.UTC(1899, 11, 30) + Math.floor(Number(cell)) * 86_400_000).toISOString().slice(0, 10)
  const named =
    /^(?:[a-z]+,?\s+)?(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3})[a-z]*\.?,?\s+(\d{4})/i.exec(cell) ??
    /^(?:[a-z]+,\s+)?([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})/i.exec(cell)
  if (!named) return ''
  const [, one = '', two = '', year = ''] = named
  const [day, name] = /^\d/.test(one) ? [one, two] : [two, one]
  return plain(year, String(months.indexOf(name.toLowerCase()) + 1), day)
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function plain(year: string, month: string, day: string): string {
  const century = Number(year) > 70 ? '19' : '20'
  const date = `${year.length === 2 ? century + year : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isPlainDate(date) ? date : ''
}
