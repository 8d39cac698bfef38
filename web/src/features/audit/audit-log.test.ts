import { expect, test } from 'vitest'
import { detailWords } from './audit-log.admin.tsx'

test.each<[Record<string, unknown>, string]>([
  [{}, ''],
  [{ id: 3 }, ''],
  [{ times: 1 }, ''],
  [{ times: 3 }, 'times: 3'],
  [{ uid: '19d01d5d-30a9-4f0e-8d0c-111111111111', missing: [] }, ''],
  [{ uid: '19d01d5d-30a9-4f0e-8d0c-111111111111', teachings: 4 }, 'teachings: 4'],
  [{ id: 3, speaker: 'Jane Doe', date: '2026-11-08' }, 'speaker: Jane Doe · date: 8 November 2026'],
  [{ fields: ['expect', 'forChildren', 'parking'] }, 'fields: expect, for children, parking'],
  [{ changed: ['scriptureReference'] }, 'changed: scripture reference'],
  [{ missing: ['audio/2026/forChildren.mp3'] }, 'missing: audio/2026/forChildren.mp3'],
  [{ jumpedBy: '3 days' }, 'jumped by: 3 days'],
  [{ deleted: 2, errors: [] }, 'deleted: 2'],
])('%j is "%s"', (details, words) => expect(detailWords(details)).toBe(words))

test('formats a moment as the page does', () => {
  expect(detailWords({ takenAt: '2026-11-08T00:00:00.000Z', version: '1.0.0' })).toMatch(
    /^taken at: .*8 Nov.* · version: 1\.0\.0$/,
  )
})
