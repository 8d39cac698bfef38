import { formatDate, isPlainDate } from '@fellowship/schema/dates'

/** '4 Oct', where the year goes without saying; empty for a text that is no date. */
export function shortDate(date: string): string {
  const [day, month = ''] = isPlainDate(date) ? formatDate(date).split(' ') : []
  return day === undefined ? '' : `${day} ${month.slice(0, 3)}`
}
