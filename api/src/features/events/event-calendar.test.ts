import ICAL from 'ical.js'
import nodeIcal, { type VEvent } from 'node-ical'
import { describe, expect, test } from 'vitest'
import { occurrencesIn } from '@fellowship/sync/protocol/occurrences'
import { calendarText, instantOf, withOffset, type CalendarEntry } from '../../machine/calendar.ts'
import { calendarOf } from './event-calendar.ts'

const uid = '0198c2f4-0000-7000-8000-000000000001'

const anEntry = (given: Partial<CalendarEntry> = {}): CalendarEntry => ({
  uid,
  title: 'Prayer meeting',
  place: 'Hall',
  description: '',
  starts: '2026-03-01T10:00',
  ends: '2026-03-01T11:00',
  rule: undefined,
  cancelledStarts: [],
  isCancelled: false,
  url: 'https://church.example/events',
  sequence: 0,
  changedAt: new Date('2026-02-01T00:00:00Z'),
  ...given,
})
const textOf = (timeZone: string, entry: CalendarEntry) =>
  calendarText({ name: 'Church', language: 'en-NZ', timeZone, entries: [entry] })

/** The starts between two moments by Mozilla's library, which reads the time zone from the file. */
function readByMozilla(text: string, from: string, to: string): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
  const zone = new ICAL.Timezone(calendar.getFirstSubcomponent('vtimezone')!)
  const event = new ICAL.Event(calendar.getFirstSubcomponent('vevent')!)
  const found: string[] = []
  const dates = event.iterator()
  for (let next = dates.next(); next; next = dates.next()) {
    next.zone = zone
    const moment = next.toJSDate().toISOString()
    if (moment >= to) break
    if (moment >= from) found.push(moment)
  }
  return found
}

/** The same by node-ical, which looks the time zone up by its name. */
function readByNode(text: string, from: string, to: string): string[] {
  const event = Object.values(nodeIcal.sync.parseICS(text)).find((each) => each?.type === 'VEVENT') as VEvent
  return nodeIcal
    .expandRecurringEvent(event, { from: new Date(from), to: new Date(to), includeOverrides: true })
    .map(({ start }) => start.toISOString())
    .filter((moment) => moment >= from && moment < to)
}

/** A year that has both changes of daylight saving in either hemisphere. */
const [from, to] = ['2026-03-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z']

describe('a weekly event at 10:00', () => {
  test.each([
    ['Pacific/Auckland', ['+13:00', '+12:00']],
    ['Pacific/Chatham', ['+13:45', '+12:45']],
    ['Pacific/Apia', ['+13:00']],
    ['Europe/Dublin', ['+00:00', '+01:00']],
    ['Asia/Kathmandu', ['+05:45']],
    ['America/Sao_Paulo', ['-03:00']],
    ['America/New_York', ['-05:00', '-04:00']],
  ])('stays at 10:00 in %s, by three libraries', (timeZone, offsets) => {
    const entry = anEntry({ rule: 'FREQ=WEEKLY;BYDAY=SU' })
    const times = { starts: entry.starts, ends: entry.ends, repeats: entry.rule!, cancelled: [] }
    const local = occurrencesIn(times, { from: '2026-01-01T00:00', to: '2028-01-01T00:00', most: 200 })
    const ours = local
      .map(({ starts }) => instantOf(starts, timeZone).toISOString())
      .filter((moment) => moment >= from && moment < to)
    expect(new Set(local.map(({ starts }) => starts.slice(11)))).toEqual(new Set(['10:00']))
    expect(ours.length).toBeGreaterThanOrEqual(52)
    const seen = new Set(local.map(({ starts }) => /[+-]\d\d:\d\d$/.exec(withOffset(starts, timeZone))![0]))
    expect(seen).toEqual(new Set(offsets))
    const text = textOf(timeZone, entry)
    expect(readByMozilla(text, from, to)).toEqual(ours)
    expect(readByNode(text, from, to)).toEqual(ours)
  })
})

test('both Sundays of change in Auckland have their moments', () => {
  const found = readByMozilla(textOf('Pacific/Auckland', anEntry({ rule: 'FREQ=WEEKLY' })), from, to)
  // Daylight saving ended on 5 April and began on 27 September 2026.
  expect(found).toContain('2026-04-04T22:00:00.000Z')
  expect(found).toContain('2026-03-28T21:00:00.000Z')
  expect(found).toContain('2026-09-19T22:00:00.000Z')
  expect(found).toContain('2026-09-26T21:00:00.000Z')
})

test('a time that daylight saving skips is an hour later', () => {
  expect(instantOf('2026-09-27T02:30', 'Pacific/Auckland').toISOString()).toBe('2026-09-26T14:30:00.000Z')
})

describe('an event of the site', () => {
  const row = {
    id: 7,
    uid,
    rev: 3,
    title: 'Tea; coffee, and “cake”\\biscuits for everybody who likes to stay a while – kia ora, ngā mihi',
    place: 'Hall, 28 Criterion Street',
    description: 'First line\nsecond; line, third',
    starts: '2026-03-01T10:00',
    ends: '2026-03-01T11:30',
    repeats: 'FREQ=WEEKLY;BYDAY=SU;UNTIL=20260405',
    cancelled: ['2026-03-15'],
    sequence: 4,
    changedAt: new Date('2026-02-01T03:04:05Z'),
  }
  const text = calendarOf([row], 'https://church.example')

  test('is escaped, folded and read back whole', () => {
    const lines = text.split('\r\n')
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const event = new ICAL.Event(
      new ICAL.Component(ICAL.parse(text) as unknown[]).getFirstSubcomponent('vevent')!,
    )
    const byNode = Object.values(nodeIcal.sync.parseICS(text)).find((each) => each?.type === 'VEVENT')
    const { title, place, description } = row
    expect([event.summary, event.location, event.description]).toEqual([title, place, description])
    expect(byNode).toMatchObject({ uid, summary: title, location: place, description })
  })

  test('leaves cancelled dates out and ends with its last day', () => {
    const dates = readByMozilla(text, from, to)
    // 10:00 in Auckland is the evening before in UTC; the first one is before the span.
    expect(dates.map((moment) => moment.slice(0, 10))).toEqual([
      '2026-03-07',
      '2026-03-21',
      '2026-03-28',
      '2026-04-04',
    ])
    expect(readByNode(text, from, to)).toEqual(dates)
  })

  test('has a stable identity and its version', () => {
    const event = new ICAL.Component(ICAL.parse(text) as unknown[]).getFirstSubcomponent('vevent')!
    const value = (name: string) => String(event.getFirstPropertyValue(name))
    expect([value('uid'), value('sequence')]).toEqual([uid, '4'])
    expect([value('last-modified'), value('dtstamp')]).toEqual([
      '2026-02-01T03:04:05Z',
      '2026-02-01T03:04:05Z',
    ])
    expect(text).toMatch(/RRULE:FREQ=WEEKLY;BYDAY=SU;UNTIL=20260405T115900Z\r\n/)
  })

  test('a single one that was cancelled says so', () => {
    const single = calendarOf(
      [{ ...row, repeats: null, cancelled: ['2026-03-01'] } as never],
      'https://c.example',
    )
    expect(single).toContain('STATUS:CANCELLED')
    expect(single).not.toContain('EXDATE')
  })
})
