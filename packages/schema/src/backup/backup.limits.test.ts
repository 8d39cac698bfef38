import { expect, test } from 'vitest'
import { slotAfter, slotBefore } from './backup.limits.ts'

test.each([
  // Monday 03:30 in Auckland is Sunday 14:30 UTC in summer, 15:30 in winter.
  ['2026-11-18T00:00Z', '2026-11-15T14:30:00.000Z', '2026-11-22T14:30:00.000Z'],
  ['2026-11-22T14:30Z', '2026-11-22T14:30:00.000Z', '2026-11-29T14:30:00.000Z'],
  ['2026-11-22T14:29Z', '2026-11-15T14:30:00.000Z', '2026-11-22T14:30:00.000Z'],
  // Clocks go back on Sunday 5 April 2026 and forward on Sunday 27 September 2026.
  ['2026-04-05T16:00Z', '2026-04-05T15:30:00.000Z', '2026-04-12T15:30:00.000Z'],
  ['2026-09-27T00:00Z', '2026-09-20T15:30:00.000Z', '2026-09-27T14:30:00.000Z'],
])('finds the slots around %s', (now, before, after) => {
  expect(slotBefore(new Date(now)).toISOString()).toBe(before)
  expect(slotAfter(new Date(now)).toISOString()).toBe(after)
})
