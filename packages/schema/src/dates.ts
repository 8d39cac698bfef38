import { church } from './church.ts'

/** Whether `text` is a real calendar date, YYYY-MM-DD, from year 1000 on. */
export function isPlainDate(text: string): boolean {
  const match = /^([1-9]\d{3})-(\d{2})-(\d{2})$/.exec(text)
  if (!match) return false
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** The year of a plain date. */
export const yearOf = (plainDate: string): number => Number(plainDate.slice(0, 4))

/** A date in New Zealand English: '15 March 2026'. A text that is no date is returned unchanged. */
export function formatDate(plainDate: string): string {
  if (!isPlainDate(plainDate)) return plainDate
  const [year, month, day] = plainDate.split('-').map(Number) as [number, number, number]
  // Without Intl: on a slow phone its first use takes longer than rendering a page of dates.
  return `${day} ${months[month - 1]!} ${year}`
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

function daysInMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Calendar days from one plain date to another; negative when the other is earlier. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs

/**
 * Midnights since then in a time zone, by default the device's: 0 is today, 1 yesterday.
 */
export const daysSince = (moment: Date, now: Date, timeZone?: string): number =>
  daysBetween(plainDateAt(moment, timeZone), plainDateAt(now, timeZone))

// Plain dates count as midnight UTC, because every day has 24 hours there.
const dayMs = 24 * 60 * 60_000

/** The calendar date of an instant in a time zone, by default the device's, YYYY-MM-DD. */
export function plainDateAt(moment: Date, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  // By parts: even the Canadian order, year first in most engines, is month first in WebKitGTK.
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]))
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

/**
 * The local time of an instant in a time zone, YYYY-MM-DDTHH:mm.
 *
 * @param timeZone the church's by default
 */
export function localTimeAt(moment: Date, timeZone: string = church().timeZone): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]))
  return `${plainDateAt(moment, timeZone)}T${parts.get('hour')}:${parts.get('minute')}`
}

/** The calendar date of the church at an instant, YYYY-MM-DD. */
export const churchDate = (now: Date): string => plainDateAt(now, church().timeZone)

/**
 * Whether a date is more than a day ahead. A teaching may be dated tomorrow, for clocks and time zones that differ.
 *
 * @param today the church's date, YYYY-MM-DD
 */
export const isFarAhead = (date: string, today: string): boolean =>
  isPlainDate(date) && daysBetween(today, date) > 1
