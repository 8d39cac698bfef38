import { church } from '@fellowship/schema/church'
import { isPlainDate } from '@fellowship/schema/dates'
import type { ImportAnswers, ImportFacts, Verdict } from '@fellowship/schema/imports/imports.contract'
import { importTexts as texts } from '@fellowship/schema/imports/imports.texts'
import { isSameTeaching } from '@fellowship/schema/teachings/duplicate'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import {
  teachingFields,
  type Teaching,
  type TeachingFields,
} from '@fellowship/schema/teachings/teachings.schema'
import { nameSlug } from '@fellowship/schema/text-folding'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { GuestRefused, type Guest } from '../../machine/guest-fetch.ts'
import type { IncomingTeaching } from '@fellowship/schema/imports/incoming-teaching'

/** The verdict of the dry run for one item. */
export interface Judged {
  readonly guid: string
  readonly incoming: IncomingTeaching
  readonly verdict: Verdict
  readonly reason: string
  /** The teaching that it is the same as. */
  readonly teaching: string | null
}

/** The library that items are compared with. */
export interface KnownLibrary {
  readonly teachings: readonly Teaching[]
  /** Guids of the feed by uid; a teaching without one has its uid. */
  readonly guids: ReadonlyMap<string, string>
  /** How earlier imports read the same items, by guid, and the teachings that they became. */
  readonly earlier: ReadonlyMap<string, { incoming: IncomingTeaching; teaching: string | null }>
}

/** The words that an item would be published with. */
export function wordsOf(
  { title, speaker, date, scripture, description, chapterText }: IncomingTeaching,
  { shiftDays = 0, speakers = {}, speaker: fallback = '' }: ImportAnswers,
): TeachingFields {
  const named = speaker || fallback
  return {
    title,
    speaker: Object.hasOwn(speakers, named) ? speakers[named]! : named,
    date: shifted(date, shiftDays),
    scriptureReference: scripture,
    description,
    ...(chapterText && { chapters: chapterText }),
  }
}

function shifted(date: string, days: number): string {
  if (days === 0 || !isPlainDate(date)) return date
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}

/** Compares each item with the library and with the items before it; asks for no recording yet. */
export function compareItems(
  items: readonly IncomingTeaching[],
  { teachings, guids, earlier }: KnownLibrary,
  options: ImportAnswers,
): Judged[] {
  const byGuid = new Map(teachings.map((teaching) => [guids.get(teaching.uid) ?? teaching.uid, teaching]))
  const byUid = new Map(teachings.map((teaching) => [teaching.uid, teaching]))
  const byDate = new Map<string, Teaching[]>()
  for (const teaching of teachings) {
    const sameDay = byDate.get(teaching.date)
    if (sameDay) sameDay.push(teaching)
    else byDate.set(teaching.date, [teaching])
  }
  const seen = new Map<string, number>()
  return items.map((incoming) => {
    const times = (seen.get(incoming.guid) ?? 0) + 1
    seen.set(incoming.guid, times)
    if (times > 1) return judged('same', texts.twice, null, `${incoming.guid} #${times}`)
    const before = earlier.get(incoming.guid)
    const known = byGuid.get(incoming.guid) ?? byUid.get(before?.teaching ?? '')
    if (known) {
      const changed = before ? changedFields(before.incoming, incoming) : []
      return changed.length > 0
        ? judged('changed', texts.changed(changed), known.uid)
        : judged('same', texts.inLibrary, known.uid)
    }
    if (before) return judged('same', texts.deletedHere)
    if (incoming.audio === '') return judged('no_audio', texts.noAudio)
    // Files of a folder have a size.
    if (!/^https?:/.test(incoming.audio) && incoming.bytes === null)
      return judged('unreadable', texts.noFile(incoming.audio))
    if (incoming.date === '') return judged('unreadable', texts.noDate)
    const words = wordsOf(incoming, options)
    if (words.speaker === '') return judged('unreadable', texts.noSpeaker)
    const checked = teachingFields.safeParse(words)
    if (!checked.success) return judged('unreadable', checked.error.issues[0]!.message)
    const same = byDate.get(words.date)?.find((teaching) => isSameTeaching(words, teaching))
    if (same) return judged('same', texts.sameAs(nameOfTeaching(same)), same.uid)
    if ((incoming.bytes ?? 0) > maxUploadBytes) return judged('too_large', texts.tooLarge)
    return judged('new', '')

    function judged(
      verdict: Verdict,
      reason: string,
      teaching: string | null = null,
      guid = incoming.guid,
    ): Judged {
      return { guid, incoming, verdict, reason, teaching }
    }
  })
}

const compared = ['title', 'speaker', 'date', 'scripture', 'description'] as const

const changedFields = (before: IncomingTeaching, now: IncomingTeaching): string[] =>
  compared.filter((field) => before[field] !== now[field])

/** Recordings that are asked for at once, and how long asking may take in all. */
const atOnce = 4
const askingMs = 18_000

/** Asks for the recording of each new item, without transferring it. Items that are not asked in time stay new. */
export async function askRecordings(items: readonly Judged[], guest: Guest): Promise<Judged[]> {
  const asked = [...items]
  const until = performance.now() + askingMs
  const waiting = [...items.entries()].filter(
    ([, { verdict, incoming }]) => verdict === 'new' && /^https?:/.test(incoming.audio),
  )
  const signal = AbortSignal.timeout(askingMs + 3_000)
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, item] = next
      const found =
        performance.now() < until
          ? await askOne(item.incoming.audio, guest, signal)
          : { reason: texts.unchecked }
      asked[at] = { ...item, ...found }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return asked
}

async function askOne(
  address: string,
  guest: Guest,
  signal: AbortSignal,
): Promise<{ verdict?: Verdict; reason: string }> {
  const ask = { silenceMs: 4_000, tries: 1, signal }
  try {
    let answer = await guest.open(address, { ...ask, method: 'HEAD' })
    answer.body.destroy()
    if ([400, 403, 405, 501].includes(answer.status)) {
      answer = await guest.open(address, { ...ask, headers: { range: 'bytes=0-1' } })
      answer.body.destroy()
    }
    const { status, headers } = answer
    if (status !== 200 && status !== 206) return { verdict: 'unreadable', reason: texts.answered(status) }
    if (/^text\/html\b/i.test(headers['content-type'] ?? ''))
      return { verdict: 'unreadable', reason: texts.isPage }
    const whole = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length']
    if (Number(whole) > maxUploadBytes) return { verdict: 'too_large', reason: texts.tooLarge }
    return { reason: '' }
  } catch (error) {
    // A server that is silent or busy now may answer later.
    if (signal.aborted) return { reason: texts.unchecked }
    if (!(error instanceof GuestRefused)) throw error
    const mayAnswer = error.status !== undefined || error.isSilence
    return { ...(!mayAnswer && { verdict: 'unreadable' as const }), reason: error.message }
  }
}

/** Weekdays, speakers and what they suggest. */
export function factsOf(
  items: readonly Judged[],
  {
    title,
    podcastGuid,
    columns = [],
    guessed = {},
    askDateOrder = false,
  }: {
    title: string
    podcastGuid: string | null
    columns?: readonly string[]
    guessed?: Readonly<Record<string, string>>
    askDateOrder?: boolean
  },
  ours: readonly string[],
): ImportFacts {
  const weekdays = [0, 0, 0, 0, 0, 0, 0]
  const speakers = new Map<string, number>()
  for (const { incoming } of items) {
    if (incoming.date !== '') weekdays[new Date(incoming.date).getUTCDay()]! += 1
    if (incoming.speaker !== '') speakers.set(incoming.speaker, (speakers.get(incoming.speaker) ?? 0) + 1)
  }
  return {
    title: title.slice(0, 200),
    podcastGuid,
    weekdays,
    shiftOffered: shiftOf(weekdays),
    speakers: [...speakers]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name)),
    alike: alikeNames(speakers, ours),
    columns: [...columns],
    guessed: { ...guessed },
    askDateOrder,
  }
}

/** The shift that moves most items to a day of services, if most are one day beside it. */
function shiftOf(weekdays: readonly number[]): -1 | 0 | 1 {
  const total = weekdays.reduce((sum, count) => sum + count, 0)
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
  const served = church().services.map(({ weekday }) => days.indexOf(weekday))
  const most = weekdays.indexOf(Math.max(...weekdays))
  if (total < 4 || weekdays[most]! * 2 <= total || served.includes(most)) return 0
  if (served.includes((most + 1) % 7)) return 1
  return served.includes((most + 6) % 7) ? -1 : 0
}

/**
 * Names that look like one person, each with the name to write: that of the library, else the more frequent one with a whole
 * first name. Titles,
 * middle initials, accents and the case make no difference; neither does an initial in place of the first name.
 */
export function alikeNames(
  counts: ReadonlyMap<string, number>,
  ours: readonly string[],
): Record<string, string> {
  const chosen = [
    ...ours,
    ...[...counts]
      .sort(
        ([a, x], [b, y]) =>
          Number(hasInitial(a)) - Number(hasInitial(b)) || y - x || b.length - a.length || (a < b ? -1 : 1),
      )
      .map(([name]) => name),
  ]
  const alike: Record<string, string> = {}
  for (const name of counts.keys()) {
    const first = chosen.find((other) => isAlike(other, name))
    if (first !== undefined && first !== name) alike[name] = first
  }
  return alike
}

function isAlike(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [partsOf(one), partsOf(other)]
  if (a.length === 0 || b.length === 0) return false
  if (a.join(' ') === b.join(' ')) return true
  if (a.length < 2 || b.length < 2 || a.at(-1) !== b.at(-1)) return false
  const [x, y] = [a[0]!, b[0]!]
  return x === y || ((x.length === 1 || y.length === 1) && x[0] === y[0])
}

const hasInitial = (name: string): boolean => partsOf(name)[0]?.length === 1

/** The words of a name without titles; 'Harris, Tom' is 'Tom Harris'. */
function partsOf(name: string): string[] {
  const [last = '', first] = name.split(',', 2)
  const inOrder = first === undefined ? last : `${first} ${last}`
  const words = nameSlug(inOrder).split('-').filter(Boolean)
  return words.filter((word, at) => !titles.has(word) || words.length - at < 2)
}

const titles = new Set(
  'pastor pastors ps pr rev reverend dr mr mrs ms miss elder bishop father fr brother br bro sister sr rt hon'.split(
    ' ',
  ),
)
