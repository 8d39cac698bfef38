import { chapterLines, chaptersOf } from '@fellowship/schema/chapters/chapters'
import { church } from '@fellowship/schema/church'
import { isPlainDate, plainDateAt } from '@fellowship/schema/dates'
import { importLimits as limits } from '@fellowship/schema/imports/imports.limits'
import { parseScripture } from '@fellowship/schema/scripture'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import {
  incomingTeaching,
  type IncomingSeries,
  type IncomingTeaching,
} from '@fellowship/schema/imports/incoming-teaching'
import { htmlLine, htmlText } from './html-text.ts'

/** The contents of a source, oldest first. */
export interface ReadSource {
  readonly title: string
  readonly podcastGuid: string | null
  /** Addresses of the feed itself. */
  readonly feeds: readonly string[]
  readonly items: readonly IncomingTeaching[]
  /** All series of an export of this product. */
  readonly series?: readonly IncomingSeries[]
  /** Columns of a CSV, and their guessed fields. */
  readonly columns?: readonly string[]
  readonly guessed?: Readonly<Record<string, string>>
  readonly askDateOrder?: boolean
}

/** A source that cannot be read; the message is a sentence. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused'
}

/** The raw texts of one teaching, as any source has them. */
export type RawTeaching = { readonly [Name in keyof IncomingTeaching]?: IncomingTeaching[Name] }

/** Makes texts plain and short, drops email addresses, and finds the passage in the title if none is given. */
export function incomingOf(raw: RawTeaching): IncomingTeaching {
  const title = htmlLine(raw.title ?? '', teachingLimits.title)
  const description = withoutEmails(htmlText(raw.description ?? '', teachingLimits.description))
  const audio = raw.audio ?? ''
  const date = isPlainDate(raw.date ?? '') ? raw.date! : ''
  const guid = (raw.guid ?? '').trim() || audio || raw.pages?.[0] || `${date} ${title}`
  return {
    guid: guid.replaceAll('\0', '').slice(0, limits.guid),
    title,
    speaker: personOf(raw.speaker ?? ''),
    date,
    moment: raw.moment ?? (date === '' ? 0 : Date.parse(date)),
    scripture: passageOf(raw.scripture ?? '') || scriptureIn(title),
    // An episode whose notes repeat its title has none.
    description: description === title ? '' : description,
    series: htmlLine(raw.series ?? '', seriesLimits.title),
    audio: audio.slice(0, limits.address),
    bytes: raw.bytes && raw.bytes > 0 && Number.isSafeInteger(raw.bytes) ? raw.bytes : null,
    picture: addressOr(raw.picture),
    pages: (raw.pages ?? []).filter((page) => page !== '' && page.length <= limits.address),
    transcript: addressOr(raw.transcript),
    chapters: addressOr(raw.chapters),
    chapterText: chapterLines(chaptersOf(raw.chapterText)),
    handouts: raw.handouts ?? [],
  }
}

/** As `incomingOf`, of texts that were plain already: they stay as they are. */
export function plainIncoming(raw: RawTeaching): IncomingTeaching {
  const { title = '', speaker = '', scripture = '', description = '', series = '' } = raw
  const words = { title, speaker, scripture, description, series }
  const checked = incomingTeaching.safeParse({ ...incomingOf(raw), ...words })
  return checked.success ? checked.data : incomingOf(raw)
}

const addressOr = (address = '') => (/^https?:\/\//i.test(address) ? address.slice(0, limits.address) : '')

/** A name without an email address: RSS writes 'sam@example.org (Sam Desk)'. */
export function personOf(text: string): string {
  const line = htmlLine(text, 1_000)
  const inBrackets = /^\S+@\S+\s*\((.+)\)$/.exec(line)?.[1]
  return withoutEmails(inBrackets ?? line)
    .replace(/[<>()]+\s*$|^\s*[<(]+/g, '')
    .trim()
    .slice(0, teachingLimits.speaker)
}

const withoutEmails = (text: string): string =>
  text
    .replace(/(?:mailto:)?[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, '')
    .replace(/ {2,}/g, ' ')
    .trim()

/** A passage in the library's form; other text as it is. */
function passageOf(text: string): string {
  const line = htmlLine(text, 400)
  return (parseScripture(line)?.display ?? line).slice(0, teachingLimits.scriptureReference)
}

/**
 * The first passage in a title, such as 'Order (Rom 8:28-39)'; empty if there is none. A book needs a capital, and one of two
 * letters a verse: 'This is 40' names no passage.
 */
export function scriptureIn(title: string): string {
  for (const { 0: found, 1: book = '' } of title.matchAll(passage)) {
    const letters = book.replace(/[^\p{L}]/gu, '')
    if (letters.length < 3 && letters !== 'Ps' && !/\d\s*[:.]\s*\d/.test(found)) continue
    const read = parseScripture(found.replace(/(\d)\s*\.\s*(\d)/g, '$1:$2').replace(/[—–]/g, '-'))
    if (read) return read.display
  }
  return ''
}

const numbers = String.raw`\d{1,3}(?:\s?[:.]\s?\d{1,3}[a-c]?)?(?:\s?[-–—]\s?\d{1,3}(?:\s?[:.]\s?\d{1,3})?)?`
const passage = new RegExp(
  String.raw`(?<![\p{L}\p{N}])((?:[123]|I{1,3})?\s?\p{Lu}\p{L}+\.?(?:\sof\s\p{Lu}\p{L}+)?)\s?${numbers}(?:\s?,\s?\d{1,3}(?:[-–]\d{1,3})?)*(?![\p{L}\p{N}])`,
  'gu',
)

/**
 * The church's date of a moment as feeds write it. Midnight means a date without a time: it counts as written, since another
 * time zone would move it to the day before.
 */
export function dateOfMoment(text: string): { date: string; moment: number } | undefined {
  const trimmed = text.trim()
  const written = /^(\d{4}-\d{2}-\d{2})(?:$|[T ]00:00(?::00)?(?:\.0+)?(?:Z|[+-]\d\d:?\d\d)?$)/.exec(
    trimmed,
  )?.[1]
  if (written !== undefined)
    return isPlainDate(written) ? { date: written, moment: Date.parse(written) } : undefined
  const moment = Date.parse(normalMoment(trimmed))
  if (Number.isNaN(moment)) return undefined
  const [, day = '', name = '', year = '', time] = rfc2822.exec(trimmed) ?? []
  const month = months.indexOf(name.toLowerCase()) + 1
  const asWritten = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  // 30 February would become a day of March.
  if (month > 0 && !isPlainDate(asWritten)) return undefined
  const isDateOnly = month > 0 && /^00:00(?::00)?$/.test(time ?? '')
  const date = isDateOnly ? asWritten : plainDateAt(new Date(moment), church().timeZone)
  return isPlainDate(date) ? { date, moment } : undefined
}

const rfc2822 = /(\d{1,2}) ([a-z]{3})[a-z]* (\d{4})(?: (\d\d:\d\d(?::\d\d)?))?/i

/** Without a weekday, which is often wrong, and with zones by their offsets. A local time is the church's own. */
function normalMoment(text: string): string {
  const bare = text.replace(/^[a-z]{3,9},?\s+/i, '')
  const zone = /\s([A-Z]{3,4})$/.exec(bare)?.[1]
  const offset = zone === undefined ? undefined : zones[zone]
  if (offset !== undefined) return bare.replace(/[A-Z]{3,4}$/, offset)
  return zone !== undefined && zone !== 'GMT' && zone !== 'UTC' ? bare.replace(/\s[A-Z]{3,4}$/, ' GMT') : bare
}

const zones: Readonly<Record<string, string>> = {
  NZST: '+1200',
  NZDT: '+1300',
  AEST: '+1000',
  AEDT: '+1100',
  BST: '+0100',
  CET: '+0100',
  CEST: '+0200',
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The source's items, oldest first; of one day in the order of the source, which is newest first in feeds. */
export const oldestFirst = (items: readonly IncomingTeaching[], isNewestFirst: boolean): IncomingTeaching[] =>
  (isNewestFirst ? items.toReversed() : [...items]).sort(
    (one, other) => compare(one.date, other.date) || one.moment - other.moment,
  )

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
