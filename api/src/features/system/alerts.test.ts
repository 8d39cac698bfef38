import { describe, expect, test } from 'vitest'
import { alertsOf, type AlertFacts } from './alerts.ts'

const now = new Date('2026-11-23T00:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60_000)
const good: AlertFacts = {
  now,
  lastBackup: daysAgo(1),
  libraryBegan: daysAgo(900),
  freeBytes: 50e9,
  totalBytes: 100e9,
  faulty: [],
  inbox: [],
}
const alerts = (facts: Partial<AlertFacts>) =>
  alertsOf({ ...good, ...facts }).map(({ id, sentence }) => [id, sentence])

describe('sends no alert', () => {
  test.each<[string, Partial<AlertFacts>]>([
    ['when all is well', {}],
    ['of a backup that is two weeks old', { lastBackup: daysAgo(14) }],
    [
      'of a missing backup of a library that began two weeks ago',
      { lastBackup: null, libraryBegan: daysAgo(14) },
    ],
    ['of a missing backup of an empty library', { lastBackup: null, libraryBegan: null }],
    ['of a disk with a tenth free', { freeBytes: 10e9 }],
    ['of a recording that has waited for a week', { inbox: [daysAgo(7), daysAgo(0)] }],
  ])('%s', (_, facts) => {
    expect(alerts(facts)).toEqual([])
  })
})

test.each<[Partial<AlertFacts>, string, string]>([
  [{ lastBackup: daysAgo(15) }, 'backup', 'The last complete backup is 15 days old.'],
  [{ lastBackup: null, libraryBegan: daysAgo(15) }, 'backup', 'There is no complete backup yet.'],
  [{ freeBytes: 9.99e9 }, 'disk', '10.0 GB of 100.0 GB are free for recordings: 9 %.'],
  [{ freeBytes: 0, totalBytes: 20e9 }, 'disk', '0.0 GB of 20.0 GB are free for recordings: 0 %.'],
  [
    { inbox: [daysAgo(8), daysAgo(1)] },
    'inbox',
    '1 recording has waited in the Inbox for more than 7 days, the oldest for 8.',
  ],
  [
    { inbox: [daysAgo(8), daysAgo(20)] },
    'inbox',
    '2 recordings have waited in the Inbox for more than 7 days, the oldest for 20.',
  ],
  [
    {
      faulty: [
        { title: 'Hope', scriptureReference: null, speaker: 'Ann', date: '2026-01-04', fault: 'damaged' },
      ],
    },
    'recordings',
    '1 recording is damaged: send it again.',
  ],
])('%j', (facts, id, sentence) => {
  expect(alerts(facts)).toEqual([[id, sentence]])
})

test('lists all problems at once, each with its remedy', () => {
  const all = alertsOf({ ...good, lastBackup: null, freeBytes: 0, inbox: [daysAgo(9)] })
  expect(all.map(({ id }) => id)).toEqual(['backup', 'disk', 'inbox'])
  for (const { advice } of all) expect(advice).toMatch(/Administration, .*\.$/)
})
