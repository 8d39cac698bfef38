import { formatDate, isPlainDate } from '@fellowship/schema/dates'

/** '4 Oct', or '4 Oct 2025' if the year is another; empty for a text that is no date. */
export function shortDate(date: string, now = new Date()): string {
  const [day, month = '', year] = isPlainDate(date) ? formatDate(date).split(' ') : []
  if (day === undefined) return ''
  const short = `${day} ${month.slice(0, 3)}`
  return year === String(now.getFullYear()) ? short : `${short} ${year}`
}
