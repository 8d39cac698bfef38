import { isPlainDate } from '../dates.ts'

/** A date that is offered for a recording, and why. */
export interface OfferedDate {
  /** YYYY-MM-DD */
  readonly date: string
  readonly from: 'name' | 'file' | 'sunday'
}

/**
 * The date in a file name that does not follow the convention: '20261004', '2026_10_04', '4.10.2026', '4 Oct 2026'. A day
 * is written before its month, as in New Zealand. Undefined if there is none, or more than one.
 */
export function dateInName(name: string): string | undefined {
  const found = new Set<string>()
  for (const { pattern, order } of written) {
    for (const match of name.matchAll(pattern)) {
      const [year, month, day] = order.map((at) => match[at] ?? '')
      const date = `${year}-${monthNumber(month ?? '')}-${(day ?? '').padStart(2, '0')}`
      if (isPlainDate(date)) found.add(date)
    }
  }
  return found.size === 1 ? [...found][0] : undefined
}

/**
 * The dates to offer if the name has none: the day of the file if it was a Sunday, and the last Sunday.
 *
 * @param fileDay the day on which the file was last written, YYYY-MM-DD
 * @param today YYYY-MM-DD
 */
export function offeredDates(fileDay: string | undefined, today: string): OfferedDate[] {
  const sunday = lastSunday(today)
  const offered: OfferedDate[] = []
  if (fileDay !== undefined && fileDay !== sunday && fileDay <= today && weekday(fileDay) === 0)
    offered.push({ date: fileDay, from: 'file' })
  return [...offered, { date: sunday, from: 'sunday' }]
}

/** Year, month and day by the number of their group. A name may go on with letters or an underscore, not with a figure. */
const written: readonly { pattern: RegExp; order: readonly [number, number, number] }[] = [
  { pattern: /(?<!\d)((?:19|20)\d{2})([-_. ]?)(\d{2})\2(\d{2})(?!\d)/g, order: [1, 3, 4] },
  { pattern: /(?<!\d)(\d{1,2})([-_. ])(\d{1,2})\2((?:19|20)\d{2})(?!\d)/g, order: [4, 3, 1] },
  {
    pattern:
      /(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[-_. ]+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_., ]+((?:19|20)\d{2})(?!\d)/gi,
    order: [3, 2, 1],
  },
]

const names = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function monthNumber(month: string): string {
  const named = names.indexOf(month.toLowerCase()) + 1
  return String(named > 0 ? named : month).padStart(2, '0')
}

const dayMs = 24 * 60 * 60_000
const weekday = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay()

/** The day itself if it is a Sunday, else the Sunday before. */
function lastSunday(today: string): string {
  const at = Date.parse(`${today}T00:00:00Z`) - weekday(today) * dayMs
  return new Date(at).toISOString().slice(0, 10)
}
