import { expect, test } from 'vitest'
import { isLocalTime } from './local-time.ts'
import { ruleChoices, rulePartsOf, ruleWords, withEnd, withoutEnd } from './repeat-rule.ts'

test.each([
  '',
  'WEEKLY',
  'RRULE:FREQ=WEEKLY',
  'FREQ=SECONDLY',
  'FREQ=MINUTELY;INTERVAL=5',
  'FREQ=HOURLY',
  'freq=weekly',
  'FREQ=WEEKLY;FREQ=DAILY',
  'FREQ=WEEKLY;',
  'FREQ=WEEKLY;BYDAY=',
  'FREQ=WEEKLY;BYDAY=SU,SU',
  'FREQ=WEEKLY;BYDAY=1SU',
  'FREQ=YEARLY;BYDAY=20MO',
  'FREQ=WEEKLY;BYMONTHDAY=1',
  'FREQ=MONTHLY;BYMONTHDAY=0',
  'FREQ=MONTHLY;BYMONTHDAY=32',
  'FREQ=DAILY;BYHOUR=1,2,3',
  'FREQ=YEARLY;BYYEARDAY=100',
  'FREQ=WEEKLY;INTERVAL=0',
  'FREQ=WEEKLY;INTERVAL=61',
  'FREQ=DAILY;COUNT=1001',
  'FREQ=DAILY;COUNT=5;UNTIL=20261231',
  'FREQ=DAILY;UNTIL=20260230',
  'FREQ=DAILY;UNTIL=20261231T250000',
  'FREQ=MONTHLY;BYSETPOS=1',
  'FREQ=WEEKLY;X-EVIL=1',
  'FREQ=WEEKLY\r\nATTENDEE:x',
])('refuses %j', (rule) => {
  expect(rulePartsOf(rule)).toBeUndefined()
})

test.each([
  'FREQ=DAILY',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,WE;WKST=MO',
  'FREQ=MONTHLY;BYDAY=-1SU;COUNT=12',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25;UNTIL=20301231T110000Z',
])('accepts %s', (rule) => {
  expect(rulePartsOf(rule)?.get('FREQ')).toBe(/FREQ=(\w+)/.exec(rule)![1])
})

test.each([
  '2026-02-29T10:00',
  '2026-03-01',
  '2026-03-01 10:00',
  '2026-03-01T24:00',
  '2026-03-01T10:00Z',
  '1999-12-31T10:00',
])('%s is no local time', (text) => {
  expect(isLocalTime(text)).toBe(false)
})

test('offers the rules that fit the start', () => {
  const offered = (starts: string) => ruleChoices(starts).map(({ label }) => label)
  expect(offered('2026-03-22T10:00')).toEqual([
    'Every day',
    'Every week on Sunday',
    'Every two weeks on Sunday',
    'Every month on the 22nd',
    'Every month on the fourth Sunday',
    'Every year on 22 March',
  ])
  expect(offered('2026-03-29T10:00').slice(3)).toEqual([
    'Every month on the 29th',
    'Every month on the last Sunday',
    'Every year on 29 March',
  ])
  for (const { rule } of ruleChoices('2026-03-25T10:00')) expect(rulePartsOf(rule)).toBeDefined()
})

test.each([
  ['FREQ=WEEKLY', 'Every week on Sunday'],
  ['FREQ=WEEKLY;BYDAY=SU;UNTIL=20261213', 'Every week on Sunday, until 13 December 2026'],
  ['FREQ=MONTHLY;BYDAY=1SU;COUNT=6', 'Every month on the first Sunday, 6 times'],
  ['FREQ=MONTHLY;BYDAY=1SU,3SU', 'Repeats by months'],
])('words of %s', (repeats, words) => {
  expect(ruleWords({ starts: '2026-03-01T10:00', repeats })).toBe(words)
})

test('an end that is added can be taken off', () => {
  expect(withoutEnd(withEnd('FREQ=DAILY', '2026-12-31'))).toEqual({ rule: 'FREQ=DAILY', until: '2026-12-31' })
  expect(withoutEnd('UNTIL=20261231;FREQ=DAILY')).toEqual({ rule: 'FREQ=DAILY', until: '2026-12-31' })
})
