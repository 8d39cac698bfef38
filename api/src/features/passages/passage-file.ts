import { open } from 'node:fs/promises'
import {
  kingJames,
  nkjv,
  passageFileLimits,
  passageLimits,
} from '@fellowship/schema/passages/passages.limits'
import { passageFields, type NewPassage } from '@fellowship/schema/passages/passages.contract'
import { passageTexts } from '@fellowship/schema/passages/passages.texts'
import { isCounted } from '@fellowship/schema/passages/quoted-verses'
import { canonicalReference } from '@fellowship/schema/passages/reference'
import Papa from 'papaparse'

interface PassageFile {
  readonly passages: readonly NewPassage[]
  /** The problems by line of the file, or by entry of a JSON list, counted from 1. */
  readonly problems: readonly { line: number; sentence: string }[]
}

type Field = keyof NewPassage
type Raw = { line: number } & Partial<Record<Field, string>>

const mostBytes = passageFileLimits.megabytes * 1024 * 1024

/**
 * Loads a file of passages; undefined if it exceeds 32 MB, of which no more is read.
 *
 * @throws Error of the file system
 */
export async function loadPassageFile(file: string): Promise<string | undefined> {
  await using handle = await open(file)
  if ((await handle.stat()).size > mostBytes) return undefined
  const chunks: Buffer[] = []
  let bytes = 0
  // A pipe or a device has no size before it is read.
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    bytes += (chunk as Buffer).length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Reads and validates a file of passages: CSV with a header line, or a JSON list of objects. A missing copyright line is
 * filled in if the translation has a known one.
 */
export function readPassageFile(content: string): PassageFile {
  const { rows, problems } = /^\s*[[{]/.test(content) ? rowsOfJson(content) : rowsOfCsv(content)
  const passages: NewPassage[] = []
  const firstLines = new Map<string, number>()
  for (const row of rows) {
    const passage = readRow(row)
    if ('sentence' in passage) {
      problems.push({ line: row.line, sentence: passage.sentence })
      continue
    }
    const key = `${passage.reference}\n${passage.translation}`
    const first = firstLines.get(key)
    if (first === undefined) {
      firstLines.set(key, row.line)
      passages.push(passage)
    } else problems.push({ line: row.line, sentence: passageTexts.repeated(passage.reference, first) })
  }
  return { passages, problems: problems.sort((a, b) => a.line - b.line) }
}

function readRow(raw: Raw): NewPassage | { sentence: string } {
  const given = Object.fromEntries(passageFields.map((name) => [name, tidy(raw[name] ?? '')])) as NewPassage
  const translation = isCounted(given.translation) ? nkjv.translation : given.translation
  const row = { ...given, translation, copyrightLine: given.copyrightLine || knownLine(translation) }
  const empty = passageFields.find((name) => row[name] === '')
  if (empty) return { sentence: passageTexts.missing(empty) }
  const reference = canonicalReference(row.reference)
  if (!reference) return { sentence: passageTexts.notStrict(row.reference) }
  const long = passageFields.find((name) => row[name].length > passageLimits[name])
  return long ? { sentence: passageTexts.tooLong(long) } : { ...row, reference }
}

const tidy = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim()

const knownLine = (translation: string) =>
  [nkjv, kingJames].find((known) => known.translation === translation)?.copyrightLine ?? ''

interface Rows {
  rows: Raw[]
  problems: { line: number; sentence: string }[]
}

function rowsOfCsv(content: string): Rows {
  // The header is a record too.
  const records = readCsv(content, passageFileLimits.passages + 1)
  if (!Array.isArray(records)) {
    return 'tooManyInLine' in records
      ? failed(records.tooManyInLine, passageTexts.tooManyPassages)
      : failed(records.wrongQuoteInLine, passageTexts.wrongQuote)
  }
  const [header, ...lines] = records
  const names = header?.fields.map(fieldNamed) ?? []
  if (!names.includes('reference') || !names.includes('text') || !names.includes('translation')) {
    return failed(header?.line ?? 1, passageTexts.noHeader)
  }
  const found: Rows = { rows: [], problems: [] }
  for (const { line, fields } of lines) {
    if (fields.length === names.length) {
      const named = names.flatMap((name, at) => (name ? [[name, fields[at]!] as const] : []))
      found.rows.push({ line, ...Object.fromEntries(named) })
    } else found.problems.push({ line, sentence: passageTexts.fields(fields.length, names.length) })
  }
  return found
}

/** 'Copyright Line', 'copyright_line' and 'copyright' are all the same column. */
function fieldNamed(heading: string): Field | undefined {
  const name = heading.toLowerCase().replace(/[^a-z]/g, '')
  return passageFields.find(
    (field) => field.toLowerCase() === name || (field === 'copyrightLine' && name === 'copyright'),
  )
}

function rowsOfJson(content: string): Rows {
  let list: unknown
  try {
    list = JSON.parse(content.replace(/^\uFEFF/, ''))
  } catch {
    return failed(1, passageTexts.notJson)
  }
  if (!Array.isArray(list)) return failed(1, passageTexts.notJson)
  if (list.length > passageFileLimits.passages) {
    return failed(passageFileLimits.passages + 1, passageTexts.tooManyPassages)
  }
  const found: Rows = { rows: [], problems: [] }
  for (const [at, entry] of (list as unknown[]).entries()) {
    const line = at + 1
    if (typeof entry !== 'object' || entry === null)
      found.problems.push({ line, sentence: passageTexts.notJson })
    else {
      const named = Object.entries(entry).flatMap(([key, value]: [string, unknown]) => {
        const name = fieldNamed(key)
        return name && typeof value === 'string' ? [[name, value] as const] : []
      })
      found.rows.push({ line, ...Object.fromEntries(named) })
    }
  }
  return found
}

const failed = (line: number, sentence: string): Rows => ({ rows: [], problems: [{ line, sentence }] })

/** A record of a CSV file and the line it begins in, counted from 1. */
interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Reads comma-separated values (RFC 4180): quoted fields may hold commas, line breaks and doubled quotes. Blank lines
 * are left out.
 *
 * @param most reading ends at more lines that are records, blank ones included
 * @returns the records, or the line of the first record whose quotation marks do not match, or the first line too many
 */
function readCsv(
  text: string,
  most: number,
): CsvRecord[] | { wrongQuoteInLine: number } | { tooManyInLine: number } {
  // The parser tells one kind of line ending from the first lines; a file may mix them.
  const content = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const records: CsvRecord[] = []
  let wrongQuoteInLine: number | undefined
  let line = 1
  let read = 0
  let steps = 0
  let tooManyInLine: number | undefined
  Papa.parse<string[]>(content, {
    delimiter: ',',
    newline: '\n',
    step: ({ data: fields, errors, meta }, parser) => {
      if ((steps += 1) > most) {
        tooManyInLine = line
        return parser.abort()
      }
      if (errors.length > 0) wrongQuoteInLine ??= line
      if (fields.length > 1 || fields[0]?.trim()) records.push({ line, fields })
      line += content.slice(read, meta.cursor).split('\n').length - 1
      read = meta.cursor
    },
  })
  if (tooManyInLine !== undefined) return { tooManyInLine }
  return wrongQuoteInLine === undefined ? records : { wrongQuoteInLine }
}
