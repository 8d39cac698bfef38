import { expect, test } from 'vitest'
import { foldText, foldedWords } from './text-folding.ts'

test.each([
  ['', ''],
  ['  ', ''],
  ['…—!?', ''],
  ['The Hope_of  Christ', 'the hope of christ'],
  ["God's love", 'gods love'],
  ['God’s love', 'gods love'],
  ["Pat O'Brien", 'pat obrien'],
  ['Māori Pūnga', 'maori punga'],
  ['Ma\u0304ori', 'maori'],
  ['Straße, Øystein, Łukasz', 'strasse oystein lukasz'],
  ['ﬁrst ＡＢＣ', 'first abc'],
  ['Jean-Luc (part 2)', 'jean luc part 2'],
  ['רוּת', 'רות'],
  ['聖書 入門', '聖書 入門'],
  ['हिन्दी', 'हिन्दी'],
])('%j folds to %j', (text, folded) => {
  expect(foldText(text)).toBe(folded)
  expect(foldedWords(text)).toEqual(folded === '' ? [] : folded.split(' '))
})
