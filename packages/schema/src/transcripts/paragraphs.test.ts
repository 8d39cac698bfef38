import { expect, test } from 'vitest'
import { paragraphsOf } from './paragraphs.ts'
import type { Sentence } from './transcripts.schema.ts'

const said = (text: string, start: number | null = null, given: Partial<Sentence> = {}): Sentence => ({
  start,
  end: start === null ? null : start + 900,
  about: false,
  voice: '',
  text,
  ...given,
})
const long = `${'word '.repeat(40)}end.`

test('no sentences are no paragraphs', () => {
  expect(paragraphsOf([])).toEqual([])
})

test('a paragraph ends at another voice', () => {
  const sentences = [said('Yes.', 1000, { voice: 'Ruth' }), said('No.', 2000), said('So.')]
  expect(paragraphsOf(sentences)).toEqual([
    { start: 1000, voice: 'Ruth', text: 'Yes.' },
    { start: 2000, voice: '', text: 'No. So.' },
  ])
})

test('a paragraph ends at a pause once it is long enough', () => {
  const at = (start: number) => paragraphsOf([said(long, 0), said('Then.', start)]).length
  expect([at(1500), at(3000)]).toEqual([1, 2])
  expect(paragraphsOf([said('Short.', 0), said('Then.', 9000)])).toHaveLength(1)
})

test('a long paragraph ends with a sentence', () => {
  const sentences = [long, long, `${'word '.repeat(40)}goes`, 'on.', 'Next.'].map((text) => said(text))
  expect(paragraphsOf(sentences).map(({ text }) => text.slice(-8))).toEqual(['goes on.', 'Next.'])
})
