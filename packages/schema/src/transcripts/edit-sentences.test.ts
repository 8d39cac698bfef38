import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  changeSentence,
  decided,
  isConflict,
  joinSentence,
  mergeTexts,
  replaceWords,
  splitSentence,
} from './edit-sentences.ts'
import { sentences as rule, type Sentence } from './transcripts.schema.ts'

const said = (text: string, start: number | null = null): Sentence => ({
  start,
  end: start === null ? null : start + 1000,
  about: false,
  voice: '',
  text,
})
const texts = (all: readonly Sentence[]) => all.map(({ text }) => text)
const all = [said('Grace to you and peace.', 1000), said('Amen.', 3000)]

test('a split estimates the time of its second part', () => {
  const [first, second, last] = splitSentence(all, 0, 12)
  expect([first, second, last]).toEqual([
    { ...all[0], text: 'Grace to you', end: 1545 },
    { ...all[0], text: 'and peace.', start: 1545, about: true },
    all[1],
  ])
  expect([splitSentence(all, 0, 0), splitSentence(all, 1, 5)]).toEqual([all, all])
  expect(splitSentence([said('No time at all.')], 0, 7).map(({ start }) => start)).toEqual([null, null])
})

test('a join has the times of both; the first sentence joins nothing', () => {
  expect(joinSentence(all, 1)).toEqual([{ ...all[0], end: 4000, text: 'Grace to you and peace. Amen.' }])
  expect(joinSentence(all, 0)).toEqual(all)
})

test('a sentence without words is removed', () => {
  expect(texts(changeSentence(all, 1, '  '))).toEqual(['Grace to you and peace.'])
})

test('replaces whole words alone', () => {
  const some = [said('Rut and Ruth (Rut), R.'), said('Rut')]
  expect(replaceWords(some, 'Rut', 'Ruth')).toEqual({
    sentences: [said('Ruth and Ruth (Ruth), R.'), said('Ruth')],
    count: 3,
  })
  expect(texts(replaceWords(some, 'R.', '$&').sentences)).toEqual(['Rut and Ruth (Rut), $&', 'Rut'])
  expect(replaceWords(some, ' ', 'x').count).toBe(0)
  expect(texts(replaceWords(some, 'Rut', '').sentences)).toEqual(['and Ruth (), R.'])
})

test('changes of different sentences merge, of the same conflict', () => {
  const base = ['a', 'b', 'c', 'd'].map((text) => said(text))
  const [mine, theirs] = [changeSentence(base, 1, 'B'), changeSentence(base, 3, 'D')]
  expect(texts(decided(mergeTexts(base, mine, theirs), []))).toEqual(['a', 'B', 'c', 'D'])
  const both = mergeTexts(base, mine, changeSentence(base, 1, 'beta'))
  expect(both.filter(isConflict)).toEqual([{ mine: [said('B')], theirs: [said('beta')] }])
  expect([texts(decided(both, [true])), texts(decided(both, [false]))]).toEqual([
    ['a', 'B', 'c', 'd'],
    ['a', 'beta', 'c', 'd'],
  ])
})

test('neighbouring changes conflict one by one', () => {
  const base = ['a', 'b', 'c'].map((one) => said(one))
  const mine = ['A', 'B', 'c'].map((one) => said(one))
  const theirs = ['1', 'b', '3'].map((one) => said(one))
  expect(mergeTexts(base, mine, theirs)).toEqual([
    { mine: [said('A')], theirs: [said('1')] },
    [said('B')],
    [said('3')],
  ])
})

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const text = fc.array(word, { maxLength: 8 }).map((words) => words.map((each) => said(each)))

test('a merge loses no change, whatever was changed', () => {
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      expect(decided(mergeTexts(base, mine, base), [])).toEqual(mine)
      expect(decided(mergeTexts(base, base, theirs), [])).toEqual(theirs)
      expect(decided(mergeTexts(base, mine, mine), [])).toEqual(mine)
      const parts = mergeTexts(base, mine, theirs)
      const sides = parts.map((part) => (isConflict(part) ? part.theirs : part))
      // Nothing of mine or theirs is missing, unless the other one removed or kept it as it was.
      const kept = parts.flatMap((part) => (isConflict(part) ? [...part.mine, ...part.theirs] : part))
      for (const each of mine)
        if (!base.some((one) => one.text === each.text)) expect(texts(kept)).toContain(each.text)
      expect(sides.flat().length).toBeLessThanOrEqual(mine.length + theirs.length)
    }),
    { numRuns: 300 },
  )
})

test('edits stay within the rules of a text', () => {
  const at = fc.nat(5)
  const edit = fc.record({ what: fc.constantFrom('split', 'join', 'change'), at, character: fc.nat(20) })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
      let now: Sentence[] = [
        said('One two three.', 0),
        said('Four five six.', 1500),
        said('Seven eight.', 1500),
      ]
      for (const { what, at: place, character } of edits) {
        const index = Math.min(place, now.length - 1)
        if (what === 'split') now = splitSentence(now, index, character)
        else if (what === 'join') now = joinSentence(now, index)
        else now = changeSentence(now, index, 'Changed words.')
      }
      expect(rule.safeParse(now).error?.message).toBeUndefined()
    }),
  )
})
