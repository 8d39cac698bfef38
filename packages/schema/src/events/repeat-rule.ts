import { formatDate, isPlainDate } from '../dates.ts'
import { ruleLimits } from './events.limits.ts'
import { dateOf, weekdayName } from './local-time.ts'

/*
 * The rules that an event may repeat by: values of RFC 5545's RRULE. Those by hours, minutes or seconds are refused, as are parts
 * that would need years of searching for one date.
 */

/**
 * The parts of a rule by name.
 *
 * @returns undefined if it is no rule that events can repeat by
 */
export function rulePartsOf(rule: string): ReadonlyMap<string, string> | undefined {
  const pairs = rule.split(';').map((part) => part.split('=') as [string, string])
  const parts = new Map(pairs)
  if (parts.size !== pairs.length || pairs.some((pair) => pair.length !== 2)) return undefined
  if (!/^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(parts.get('FREQ') ?? '')) return undefined
  return pairs.every(([name, value]) => isPart(name, value, parts)) ? parts : undefined
}

type Parts = ReadonlyMap<string, string>

function isPart(name: string, value: string, parts: Parts): boolean {
  const freq = parts.get('FREQ')!
  const isByMonth = freq === 'MONTHLY' || freq === 'YEARLY'
  switch (name) {
    case 'FREQ':
      return true
    case 'INTERVAL':
      return isNumber(value, ruleLimits.interval)
    case 'COUNT':
      return isNumber(value, ruleLimits.count) && !parts.has('UNTIL')
    case 'UNTIL':
      return isUntil(value)
    case 'BYDAY':
      // An ordinal counts within a month: of a year only together with its month.
      return eachOf(value, isByMonth && (freq === 'MONTHLY' || parts.has('BYMONTH')) ? ordinalDay : plainDay)
    case 'BYMONTHDAY':
      return isByMonth && eachOf(value, /^-?(?:[1-9]|[12]\d|3[01])$/)
    case 'BYMONTH':
      return isByMonth && eachOf(value, /^(?:[1-9]|1[0-2])$/)
    case 'BYSETPOS':
      return (
        isByMonth &&
        (parts.has('BYDAY') || parts.has('BYMONTHDAY')) &&
        eachOf(value, /^-?(?:[1-9]|[12]\d|3[01])$/)
      )
    case 'WKST':
      return plainDay.test(value)
    default:
      return false
  }
}

const plainDay = /^(?:SU|MO|TU|WE|TH|FR|SA)$/
const ordinalDay = /^(?:[+-]?[1-5])?(?:SU|MO|TU|WE|TH|FR|SA)$/

const isNumber = (value: string, most: number) => /^[1-9]\d*$/.test(value) && Number(value) <= most

/** A list with commas, each entry once. */
function eachOf(value: string, rule: RegExp): boolean {
  const entries = value.split(',')
  return new Set(entries).size === entries.length && entries.every((entry) => rule.test(entry))
}

/** A date, a local time or a moment in UTC: 20261231, 20261231T235959, 20261231T235959Z. */
function isUntil(value: string): boolean {
  const [, year, month, day] =
    /^(\d{4})(\d\d)(\d\d)(?:T(?:[01]\d|2[0-3])[0-5]\d[0-5]\dZ?)?$/.exec(value) ?? []
  return isPlainDate(`${year}-${month}-${day}`)
}

/** A rule that the form offers. */
export interface RuleChoice {
  id: string
  /** 'Every week on Sunday' */
  label: string
  rule: string
}

/** The rules that the form offers for an event that starts then. */
export function ruleChoices(starts: string): RuleChoice[] {
  const date = dateOf(starts)
  const day = Number(date.slice(8))
  const weekday = weekdayName(date)
  const code = weekday.slice(0, 2).toUpperCase()
  const nth = Math.ceil(day / 7)
  const inLastWeek =
    dateOf(new Date(Date.parse(date) + 7 * dayMs).toISOString()).slice(0, 7) !== date.slice(0, 7)
  const choice = (id: string, label: string, rule: string) => ({ id, label: `Every ${label}`, rule })
  return [
    choice('daily', 'day', 'FREQ=DAILY'),
    choice('weekly', `week on ${weekday}`, `FREQ=WEEKLY;BYDAY=${code}`),
    choice('fortnightly', `two weeks on ${weekday}`, `FREQ=WEEKLY;INTERVAL=2;BYDAY=${code}`),
    choice('monthly-date', `month on the ${ordinal(day)}`, `FREQ=MONTHLY;BYMONTHDAY=${day}`),
    ...(nth < 5
      ? [
          choice(
            'monthly-weekday',
            `month on the ${ordinalWords[nth - 1]!} ${weekday}`,
            `FREQ=MONTHLY;BYDAY=${nth}${code}`,
          ),
        ]
      : []),
    ...(inLastWeek
      ? [choice('monthly-last', `month on the last ${weekday}`, `FREQ=MONTHLY;BYDAY=-1${code}`)]
      : []),
    choice('yearly', `year on ${formatDate(date).replace(/ \d{4}$/, '')}`, 'FREQ=YEARLY'),
  ]
}

const dayMs = 24 * 60 * 60_000
const ordinalWords = ['first', 'second', 'third', 'fourth'] as const

const ordinal = (day: number) =>
  `${day}${day > 3 && day < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')}`

/** A rule without its end, and the date of that: UNTIL as YYYY-MM-DD, or empty. */
export function withoutEnd(rule: string): { rule: string; until: string } {
  const until = rulePartsOf(rule)?.get('UNTIL')?.slice(0, 8) ?? ''
  return {
    rule: rule.replace(/;UNTIL=[^;]*|UNTIL=[^;]*;/, ''),
    until: until.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'),
  }
}

/** A rule that ends on a date, YYYY-MM-DD; without one it never ends. */
export const withEnd = (rule: string, until: string): string =>
  until === '' ? rule : `${rule};UNTIL=${until.replaceAll('-', '')}`

/** The rule of an event as people read it: 'Every week on Sunday, until 13 December 2026'. */
export function ruleWords({ starts, repeats }: { starts: string; repeats: string }): string {
  const { rule, until } = withoutEnd(repeats)
  const parts = rulePartsOf(rule)
  const count = parts?.get('COUNT')
  const plain = rule
    .replace(/;COUNT=\d+|COUNT=\d+;/, '')
    .replace(/;WKST=\w\w/, '')
    .replace(';INTERVAL=1;', ';')
  const known = ruleChoices(starts).find((choice) => choice.rule === plain || isImplied(choice, plain))
  const words = known?.label ?? generalWords[parts?.get('FREQ') ?? ''] ?? 'Repeats'
  return `${words}${count ? `, ${count} times` : ''}${until ? `, until ${formatDate(until)}` : ''}`
}

/** A rule by weeks or months without a day has that of the start. */
const isImplied = ({ rule, id }: RuleChoice, plain: string) =>
  ['weekly', 'fortnightly', 'monthly-date'].includes(id) && rule.replace(/;BY\w+=[^;]+/, '') === plain

const generalWords: Readonly<Record<string, string>> = {
  DAILY: 'Repeats by days',
  WEEKLY: 'Repeats by weeks',
  MONTHLY: 'Repeats by months',
  YEARLY: 'Repeats by years',
}
