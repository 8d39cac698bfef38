import { expect, test } from 'vitest'
import { freeSlug } from './series-address.ts'
import { seriesLimits } from './series.limits.ts'

test.each([
  ['Hope in Hard Times', 'hope-in-hard-times'],
  ['  Te Whakapono: “Faith”!  ', 'te-whakapono-faith'],
  ['Māori hymns', 'maori-hymns'],
  ['!?', 'series'],
  ['信仰', '信仰'],
])('%j is %j', (title, slug) => {
  expect(freeSlug(title, new Set())).toBe(slug)
})

test('a taken slug gets the next number that is free', () => {
  expect(freeSlug('Hope', new Set(['hope']))).toBe('hope-2')
  expect(freeSlug('Hope', new Set(['hope', 'hope-2', 'hope-4']))).toBe('hope-3')
})

test.each(['x'.repeat(200), 'ß'.repeat(200), `${'x'.repeat(79)} y`, '𠮷'.repeat(200)])(
  'shortens a long title to a valid slug',
  (title) => {
    const slug = freeSlug(title, new Set())
    expect(freeSlug(title, new Set([slug])).length).toBeLessThanOrEqual(2 * seriesLimits.slug)
    expect([...freeSlug(title, new Set([slug]))].length).toBeLessThanOrEqual(seriesLimits.slug)
    expect(slug).not.toMatch(/-$/)
    // Throws for half a character.
    expect(decodeURIComponent(encodeURIComponent(slug))).toBe(slug)
  },
)
