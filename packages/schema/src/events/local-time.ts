import { formatDate, isPlainDate } from '../dates.ts'
import { eventLimits } from './events.limits.ts'

/** Whether `text` is a local date and time, YYYY-MM-DDTHH:mm, of a year that events may be in. */
export function isLocalTime(text: string): boolean {
  const [, date = '', hour, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)$/.exec(text) ?? []
  if (!isPlainDate(date) || Number(hour) > 23 || Number(minute) > 59) return false
  const year = Number(date.slice(0, 4))
  return year >= eventLimits.firstYear && year <= eventLimits.lastYear
}

/** The date of a local time. */
export const dateOf = (local: string): string => local.slice(0, 10)

/** The clock of a local time as people read it: '10:00 AM', which no line divides. */
function clockOf(local: string): string {
  const hour = Number(local.slice(11, 13))
  return `${hour % 12 || 12}:${local.slice(14, 16)}\u00a0${hour < 12 ? 'AM' : 'PM'}`
}

/** 'Sunday, 15 March 2026, 10:00 AM to 11:30 AM'; with the second day if it is another. */
export function spanWords({ starts, ends }: { starts: string; ends: string }): string {
  const [first, last] = [dateOf(starts), dateOf(ends)]
  const end = first === last ? clockOf(ends) : `${dayWords(last)}, ${clockOf(ends)}`
  return `${dayWords(first)}, ${clockOf(starts)} to ${end}`
}

/** 'Sunday, 15 March 2026' */
const dayWords = (date: string): string => `${weekdayName(date)}, ${formatDate(date)}`

/** Minutes from one local time to another by the clock, whatever daylight saving does meanwhile. */
export const minutesBetween = (from: string, to: string): number =>
  (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 60_000

/** The local time so many minutes later by the clock. */
export const afterMinutes = (local: string, minutes: number): string =>
  new Date(Date.parse(`${local}Z`) + minutes * 60_000).toISOString().slice(0, 16)

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** 'Sunday' */
export const weekdayName = (date: string): string => weekdays[new Date(`${date}T00:00Z`).getUTCDay()]!
