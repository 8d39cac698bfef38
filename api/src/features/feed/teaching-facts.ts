import { church } from '@fellowship/schema/church'
import { formatDate } from '@fellowship/schema/dates'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** 'John Smith on Romans 8:28-39, 22 November 2026, at Bulls Christian Fellowship.' */
export function describe({ speaker, scriptureReference, date }: Teaching): string {
  const on = scriptureReference ? ` on ${scriptureReference}` : ''
  return `${speaker}${on}, ${formatDate(date)}, at ${church.name}.`
}

/** Its description if it has one; else `describe` says. */
export const summaryOf = (teaching: Teaching): string => teaching.description ?? describe(teaching)

/** The page of one teaching. */
export const pageOf = (origin: string, teaching: Teaching): string => origin + teachingPath(teaching)

/** Seconds of 'm:ss' or 'h:mm:ss'; undefined if the duration is unknown. */
export function secondsOf(duration: string | null): number | undefined {
  if (!duration || !/^\d{1,3}(:[0-5]\d){1,2}$/.test(duration)) return undefined
  return duration.split(':').reduce((total, part) => total * 60 + Number(part), 0)
}

/** The MIME type for podcast directories, which use another type for M4A than browsers. */
export const podcastType = (audioUrl: string): string | undefined =>
  podcastTypes.get(/\.(\w+)$/.exec(audioUrl)?.[1] ?? '')

const podcastTypes = new Map([
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/x-m4a'],
])

/** When the service of that day began, RFC 2822: 'Sun, 22 Nov 2026 10:00:00 +1300'. */
export function serviceTime(date: string): string {
  const { hour, minute } = serviceClock
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  // Auckland is about twelve hours ahead; the offset of that morning applies at the service.
  const near = new Date(Date.UTC(year, month - 1, day, hour - 12, minute))
  // Before 1868 the offset had seconds, which RFC 2822 dates cannot express.
  const offset = zone.formatToParts(near).find(({ type }) => type === 'timeZoneName')!.value
  const [, hours = '+00', minutes = '00'] = /([+-]\d\d):(\d\d)/.exec(offset) ?? []
  const [weekday, name] = [weekdays, months].map((format) => format.format(Date.UTC(year, month - 1, day)))
  const clock = [hour, minute, 0].map(two).join(':')
  return `${weekday}, ${two(day)} ${name} ${year} ${clock} ${hours}${minutes}`
}

/** The service time '10:00 AM' on a 24-hour clock. */
export const serviceClock = (() => {
  const [, hour, minute, half] = /^(\d{1,2}):(\d{2}) (AM|PM)$/.exec(church.service.time)!
  return { hour: (Number(hour) % 12) + (half === 'PM' ? 12 : 0), minute: Number(minute) }
})()

const two = (number: number) => String(number).padStart(2, '0')
const zone = new Intl.DateTimeFormat('en', { timeZone: church.timeZone, timeZoneName: 'longOffset' })
const weekdays = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' })
const months = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
