import { expect, test } from 'vitest'
import { fileAge, fileAgeTone } from './sftp-monitor-card.tsx'

test.each([
  [0, '0 minutes', 'green'],
  [1, '1 minute', 'green'],
  [4.99, '4 minutes', 'green'],
  [5, '5 minutes', 'yellow'],
  [59.9, '59 minutes', 'yellow'],
  [60, '1 hour', 'red'],
  [150, '2 hours', 'red'],
  [1439, '23 hours', 'red'],
  [1440, '1 day', 'red'],
  [5000, '3 days', 'red'],
])('%d minutes are %s, %s', (minutes, words, tone) => {
  expect([fileAge(minutes), fileAgeTone(minutes)]).toEqual([words, tone])
})
