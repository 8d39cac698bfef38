import type { XmlElement } from '../../machine/xml.ts'
import { plainDateAt } from '@fellowship/schema/dates'
import { church } from '@fellowship/schema/church'
import type { IncomingTeaching } from '@fellowship/schema/imports/incoming-teaching'
import { incomingOf, oldestFirst, type ReadSource } from './incoming.ts'
import { absolute } from './source-feed.ts'

/** Types of posts that are sermons, by Sermon Manager, Church Content, cp-library and plugins for podcasts. */
const sermonTypes = new Set(['wpfc_sermon', 'ctc_sermon', 'cpl_item', 'podcast', 'sermon', 'sermons'])

/** Names of the custom fields and taxonomies by the texts that they hold, the first of each that is filled. */
const fields = {
  audio: [
    'sermon_audio',
    '_ctc_sermon_audio',
    'audio_url',
    'audio_file',
    '_cpl_audio_url',
    'enclosure',
    '_sermon_mp3',
  ],
  audioId: ['sermon_audio_id', 'audio_id', '_ctc_sermon_audio_id', 'audio_url_id'],
  date: ['sermon_date', '_cpl_date', 'date_recorded'],
  scripture: ['bible_passage', '_ctc_sermon_passage', 'scripture', '_cpl_scripture', 'passage'],
  description: ['sermon_description', '_cpl_description'],
}
const terms = {
  speaker: ['wpfc_preacher', 'ctc_sermon_speaker', 'cpl_speaker', 'preacher', 'speaker'],
  series: ['wpfc_sermon_series', 'ctc_sermon_series', 'cpl_item_type', 'cpl_series', 'series'],
  book: ['wpfc_bible_book', 'ctc_sermon_book', 'cpl_scripture'],
}

/** Whether a channel is an export of WordPress, as opposed to a podcast feed. */
export const isWxr = (channel: XmlElement): boolean =>
  text(channel, 'wp:wxr_version') !== '' ||
  all(channel, 'item').some((item) => text(item, 'wp:post_type') !== '')

/**
 * Reads the sermons of a WordPress export. Drafts, private and protected posts are left out, and so are its users: the login
 * of an author is no speaker.
 */
export function readWxr(channel: XmlElement): ReadSource {
  const base = text(channel, 'wp:base_site_url') || text(channel, 'link')
  const posts = all(channel, 'item')
  const attachments = new Map(
    posts.map((post) => [text(post, 'wp:post_id'), absolute(text(post, 'wp:attachment_url'), base)]),
  )
  // Speakers and series of cp-library are posts of their own, which a sermon names by number.
  const titles = new Map(posts.map((post) => [text(post, 'wp:post_id'), text(post, 'title')]))
  const items = posts.flatMap((post): IncomingTeaching[] => {
    const type = text(post, 'wp:post_type')
    if (text(post, 'wp:status') !== 'publish' || text(post, 'wp:post_password') !== '') return []
    const meta = metaOf(post)
    const audio = audioOf(meta, attachments, base)
    // An ordinary post is an episode if a recording is enclosed in it.
    if (!sermonTypes.has(type) && !(type === 'post' && meta.has('enclosure'))) return []
    const speakerIds = [...stringsOf(meta.get('cpl_speaker') ?? ''), ...stringsOf(meta.get('speakers') ?? '')]
    const link = absolute(text(post, 'link'), base)
    const guid = text(post, 'guid')
    const thumbnail = attachments.get(meta.get('_thumbnail_id') ?? '') ?? ''
    return [
      incomingOf({
        guid,
        title: text(post, 'title'),
        speaker: termOf(post, terms.speaker) || (titles.get(speakerIds[0] ?? '') ?? ''),
        ...dateOf(first(meta, fields.date), text(post, 'wp:post_date')),
        scripture: first(meta, fields.scripture) || termOf(post, terms.book),
        description:
          first(meta, fields.description) || text(post, 'content:encoded') || text(post, 'excerpt:encoded'),
        series: termOf(post, terms.series),
        audio,
        picture: thumbnail,
        pages: [link, /^https?:/.test(guid) ? guid : ''],
      }),
    ]
  })
  return { title: text(channel, 'title'), podcastGuid: null, feeds: [], items: oldestFirst(items, false) }
}

function audioOf(
  meta: ReadonlyMap<string, string>,
  attachments: ReadonlyMap<string, string>,
  base: string,
): string {
  for (const name of fields.audio) {
    const found = stringsOf(meta.get(name) ?? '')
      // The field `enclosure` has address, length and type in lines.
      .map((each) => absolute(each.split(/\r?\n/)[0] ?? '', base))
      .find((address) => address !== '')
    if (found) return found
  }
  return attachments.get(first(meta, fields.audioId)) ?? ''
}

/** A date of recording, in seconds or as a date, else that of the post, which is by the clocks of the church. */
function dateOf(recorded: string, posted: string): { date?: string; moment?: number } {
  if (/^-?\d{6,11}$/.test(recorded)) {
    const moment = Number(recorded) * 1000
    // Midnight of UTC is a date without a time.
    const zone = moment % 86_400_000 === 0 ? 'UTC' : church().timeZone
    return { date: plainDateAt(new Date(moment), zone), moment }
  }
  const written = [recorded, posted].find(
    (each) => /^\d{4}-\d{2}-\d{2}/.test(each) && !each.startsWith('0000'),
  )
  if (written === undefined) return {}
  const moment = Date.parse(`${written.slice(0, 19).replace(' ', 'T')}${written.length > 10 ? 'Z' : ''}`)
  return { date: written.slice(0, 10), ...(!Number.isNaN(moment) && { moment }) }
}

/** The custom fields of a post by name. */
const metaOf = (post: XmlElement): Map<string, string> =>
  new Map(all(post, 'wp:postmeta').map((field) => [text(field, 'wp:meta_key'), text(field, 'wp:meta_value')]))

/** The first filled one of these custom fields, also if it is serialised. */
const first = (meta: ReadonlyMap<string, string>, names: readonly string[]): string =>
  names.flatMap((name) => stringsOf(meta.get(name) ?? '')).find((value) => value !== '') ?? ''

const termOf = (post: XmlElement, domains: readonly string[]): string =>
  all(post, 'category')
    .find(({ attributes }) => domains.includes(attributes['domain'] ?? ''))
    ?.text.trim() ?? ''

/**
 * The strings and numbers in a value that PHP serialised, in order; any other value is one string. Lengths are in bytes, so
 * that a string may hold quotes.
 */
export function stringsOf(value: string): string[] {
  if (!/^(?:[aO]:\d+:|s:\d+:")/.test(value)) return value === '' ? [] : [value.trim()]
  const bytes = Buffer.from(value)
  const found: string[] = []
  const scalar = /(?:^|[{;])(?:s:(\d{1,7}):"|[id]:(-?[\d.]+)(?=;))/g
  const latin = bytes.toString('latin1')
  let isKey = true
  for (let match = scalar.exec(latin); match; match = scalar.exec(latin)) {
    const [, length, number] = match
    const end = scalar.lastIndex + Number(length ?? 0)
    const content = number ?? bytes.subarray(scalar.lastIndex, end).toString('utf8')
    // The quote and the semicolon behind a string; the semicolon begins the next one.
    if (length !== undefined) scalar.lastIndex = end + 1
    // Keys and values of an array take turns; a lone string is a value.
    if (!isKey || latin.startsWith('s:')) found.push(content.trim())
    // A nested array takes the place of a value.
    isKey = isKey && latin.startsWith(`;a:`, scalar.lastIndex) ? true : !isKey
  }
  return found
}

const all = (element: XmlElement, name: string): readonly XmlElement[] => element.children[name] ?? []
const text = (element: XmlElement, name: string): string => element.children[name]?.[0]?.text.trim() ?? ''
