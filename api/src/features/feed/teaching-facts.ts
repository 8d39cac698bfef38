import { church, churchFormat } from '@fellowship/schema/church'
import { coverPath } from '@fellowship/schema/covers/cover-path'
import { formatDate } from '@fellowship/schema/dates'
import { coverAddress } from '@fellowship/schema/elders/elder-photo'
import type { Series } from '@fellowship/schema/series/series.schema'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** 'John Smith on Romans 8:28-39, 22 November 2026, at Grace Church.' */
export function describe({ speaker, scriptureReference, date }: Teaching): string {
  const on = scriptureReference ? ` on ${scriptureReference}` : ''
  return `${speaker}${on}, ${formatDate(date)}, at ${church().name}.`
}

/** Its description if it has one; else `describe` says. */
export const summaryOf = (teaching: Teaching): string => teaching.description ?? describe(teaching)

/** The path of a series' square picture: its own, else its drawn cover. */
export const seriesPicture = ({ title, imageUrl }: Pick<Series, 'title' | 'imageUrl'>): string =>
  (imageUrl ? coverAddress(imageUrl) : undefined) ?? coverPath({ kind: 'series', title }, 'png')

/** The page of one teaching. */
export const pageOf = (origin: string, teaching: Teaching): string => origin + teachingPath(teaching)

/** The MIME type for podcast directories, which use another type for M4A than browsers. */
export const podcastType = (audioUrl: string): string | undefined =>
  podcastTypes.get(/\.(\w+)$/.exec(audioUrl)?.[1] ?? '')

const podcastTypes = new Map([
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/x-m4a'],
])

/** When the service of that day began, RFC 2822: 'Sun, 22 Nov 2026 10:00:00 +1300'. */
export function serviceTime(date: string): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const [hour, minute] = serviceClock(longWeekdays.format(Date.UTC(year, month - 1, day)))
  const local = Date.UTC(year, month - 1, day, hour, minute)
  const near = offsetAt(local)
  const [hours, minutes] = offsetAt(local - (Number(near[0]) * 60 + Number(near[0][0] + near[1])) * 60_000)
  const [weekday, name] = [weekdays, months].map((format) => format.format(Date.UTC(year, month - 1, day)))
  const clock = [hour, minute, 0].map(two).join(':')
  return `${weekday}, ${two(day)} ${name} ${year} ${clock} ${hours}${minutes}`
}

/** When the service of this weekday begins, else the first one of the week, else a morning. */
function serviceClock(weekday: string): [hour: number, minute: number] {
  const { services } = church()
  const { time } = services.find((each) => each.weekday === weekday) ?? services[0] ?? { time: '10:00' }
  return time.split(':').map(Number) as [number, number]
}

/** Before 1868 offsets had seconds, which RFC 2822 dates cannot express. */
function offsetAt(moment: number): [hours: string, minutes: string] {
  const offset = zone()
    .formatToParts(moment)
    .find(({ type }) => type === 'timeZoneName')!.value
  const [, hours = '+00', minutes = '00'] = /([+-]\d\d):(\d\d)/.exec(offset) ?? []
  return [hours, minutes]
}

const two = (number: number) => String(number).padStart(2, '0')
const zone = churchFormat({ timeZoneName: 'longOffset' }, 'en')
const longWeekdays = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })
const weekdays = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' })
const months = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
