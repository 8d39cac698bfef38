import { describe, expect, test } from 'vitest'
import { comingDates } from './coming-dates.ts'
import { type EventTimes, includesStart, occurrencesIn } from './occurrences.ts'

const anEvent = (given: Partial<EventTimes> = {}): EventTimes => ({
  starts: '2026-03-01T10:00',
  ends: '2026-03-01T11:30',
  repeats: null,
  cancelled: [],
  ...given,
})

const datesOf = (event: EventTimes, from: string, to: string, most = 100) =>
  occurrencesIn(event, { from, to, most }).map(({ starts }) => starts.slice(0, 10))

test.each([
  // The expected dates were read off a calendar.
  ['FREQ=WEEKLY;BYDAY=SU', ['2026-03-01', '2026-03-08', '2026-03-15', '2026-03-22', '2026-03-29']],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU', ['2026-03-01', '2026-03-15', '2026-03-29']],
  ['FREQ=MONTHLY;BYDAY=1SU', ['2026-03-01', '2026-04-05', '2026-05-03', '2026-06-07']],
  ['FREQ=MONTHLY;BYMONTHDAY=1', ['2026-03-01', '2026-04-01', '2026-05-01', '2026-06-01']],
  ['FREQ=WEEKLY;BYDAY=SU;COUNT=2', ['2026-03-01', '2026-03-08']],
  ['FREQ=WEEKLY;BYDAY=SU;UNTIL=20260308', ['2026-03-01', '2026-03-08']],
  ['FREQ=WEEKLY;BYDAY=SU;UNTIL=20260308T095959', ['2026-03-01']],
  // 10:00 of 8 March in Auckland is 21:00 of 7 March in UTC.
  ['FREQ=WEEKLY;BYDAY=SU;UNTIL=20260307T210000Z', ['2026-03-01', '2026-03-08']],
  ['FREQ=WEEKLY;BYDAY=SU;UNTIL=20260307T205900Z', ['2026-03-01']],
  ['FREQ=YEARLY', ['2026-03-01']],
])('%s has its dates', (repeats, dates) => {
  const to = repeats.startsWith('FREQ=MONTHLY') ? '2026-07-01T00:00' : '2026-04-01T00:00'
  expect(datesOf(anEvent({ repeats }), '2026-01-01T00:00', to)).toEqual(dates)
})

test('a monthly event on the 31st skips shorter months', () => {
  const event = anEvent({
    starts: '2026-01-31T19:00',
    ends: '2026-01-31T20:00',
    repeats: 'FREQ=MONTHLY;BYMONTHDAY=31',
  })
  expect(datesOf(event, '2026-01-01T00:00', '2026-06-01T00:00')).toEqual([
    '2026-01-31',
    '2026-03-31',
    '2026-05-31',
  ])
})

test('skipping years ahead keeps the rhythm of a rule', () => {
  const event = anEvent({
    starts: '2006-03-05T10:00',
    ends: '2006-03-05T11:30',
    repeats: 'FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,WE;WKST=MO',
  })
  const counted = { ...event, repeats: `${event.repeats};UNTIL=21000101` }
  const [from, to] = ['2026-03-01T00:00', '2026-06-01T00:00']
  expect(datesOf(event, from, to)).toEqual(datesOf(counted, from, to))
  expect(datesOf(event, from, to).length).toBeGreaterThan(6)
})

test('a date under way is included, an ended one is not', () => {
  const event = anEvent({ starts: '2026-03-01T22:00', ends: '2026-03-02T02:00', repeats: 'FREQ=DAILY' })
  expect(datesOf(event, '2026-03-05T01:59', '2026-03-05T12:00')).toEqual(['2026-03-04'])
  expect(datesOf(event, '2026-03-05T02:00', '2026-03-05T12:00')).toEqual([])
})

test('cancelled dates stay, marked', () => {
  const event = anEvent({ repeats: 'FREQ=WEEKLY', cancelled: ['2026-03-08'] })
  const found = occurrencesIn(event, { from: '2026-03-01T00:00', to: '2026-03-16T00:00', most: 9 })
  expect(found.map(({ starts, cancelled }) => [starts, cancelled])).toEqual([
    ['2026-03-01T10:00', false],
    ['2026-03-08T10:00', true],
    ['2026-03-15T10:00', false],
  ])
})

test('an endless rule yields no more dates than asked for', () => {
  expect(datesOf(anEvent({ repeats: 'FREQ=DAILY' }), '2026-03-01T00:00', '2099-01-01T00:00', 7)).toHaveLength(
    7,
  )
})

describe('the start of an event', () => {
  test.each([
    ['FREQ=WEEKLY;BYDAY=MO', false],
    ['FREQ=MONTHLY;BYDAY=2SU', false],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', false],
    ['FREQ=WEEKLY;BYDAY=SU;UNTIL=20260228', false],
    ['FREQ=WEEKLY;BYDAY=SU,MO', true],
  ])('%s includes it: %s', (repeats, includes) => {
    expect(includesStart(anEvent({ repeats }))).toBe(includes)
  })
})

test('the last date of an event that is listed has the rule of the others', () => {
  const row = { id: 1, uid: '1', rev: 1, title: 'Tea', place: '', description: '' }
  const listed = (given: Partial<EventTimes>) =>
    comingDates([{ ...row, ...anEvent(given) }], new Date('2026-02-27T11:00Z'), 2).map(({ goesOn }) => goesOn)
  expect(listed({ repeats: 'FREQ=WEEKLY;COUNT=2' })).toEqual([undefined, undefined])
  expect(listed({ repeats: 'FREQ=WEEKLY' })).toEqual([undefined, 'every week on Sunday'])
})

test('dates of all events come soonest first, a year ahead', () => {
  const row = (id: number, given: Partial<EventTimes>) => ({
    id,
    uid: `${id}`,
    rev: 1,
    title: `Event ${id}`,
    place: '',
    description: '',
    ...anEvent(given),
  })
  const events = [
    row(1, { repeats: 'FREQ=YEARLY' }),
    row(2, { starts: '2026-02-28T09:00', ends: '2026-02-28T10:00' }),
    row(3, { starts: '2027-03-02T09:00', ends: '2027-03-02T10:00' }),
  ]
  // Midnight of 28 February in Auckland.
  const found = comingDates(events, new Date('2026-02-27T11:00Z'))
  expect(found.map(({ id, starts }) => [id, starts])).toEqual([
    [2, '2026-02-28T09:00'],
    [1, '2026-03-01T10:00'],
  ])
})
