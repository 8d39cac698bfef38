import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finish } from '../teachings/teaching-search.ts'
import { foldedWords } from '../text-folding.ts'
import { spokenIndexInSteps, type SpokenIndex } from './spoken-index.ts'
import { searchedText } from './spoken-sentences.ts'
import {
  decodeWords,
  distinctWords,
  eachNumber,
  encodeText,
  encodeWords,
  wordsToLearn,
} from './spoken-words.ts'

const said = (...texts: string[]) => texts.map((text, at) => ({ text, start: at * 5000 }))

const library = {
  prodigal: said(
    'The younger son asked for his share.',
    'He wasted it in a far country.',
    'His father saw him from far off, and ran.',
    'The prodigal came home.',
  ),
  shepherd: said(
    'The shepherd left ninety-nine sheep.',
    'He carried the lost one home.',
    'There’s joy in heaven.',
  ),
  maori: said('Kei te pōwhiri te whānau i a koe.', 'Home is where the whānau is.'),
}

/** An index of texts, of which the dictionary knows the words of the first `known`. */
function indexOf(texts: Record<string, { text: string }[]>, known = Infinity): SpokenIndex {
  const words = Object.values(texts).map(distinctWords)
  const dictionary = [...new Set(words.slice(0, known).flat())]
  const numbers = new Map(dictionary.map((word, number) => [word, number]))
  const indexed = Object.keys(texts).map((uid, at) => ({ uid, ...encodeText(words[at]!, numbers) }))
  return finish(spokenIndexInSteps(dictionary, indexed))
}

describe('damaged words are refused', () => {
  test.each(['grace', 'Bgrace', 'AgraceZmercy'])('%j is no list of words', (text) => {
    expect(() => decodeWords(text)).toThrow(RangeError)
  })

  test.each(['$', '!', ']', '~~~~~~#', '#\u0020'])('%j is no list of numbers below one', (text) => {
    expect(() => eachNumber(text, 1, () => undefined)).toThrow(RangeError)
  })

  test('an index refuses numbers that its dictionary lacks', () => {
    const text = { uid: 'a', numbers: '$', own: '' }
    expect(() => finish(spokenIndexInSteps(['grace'], [text]))).toThrow(RangeError)
  })
})

test('words and numbers come back as they were', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 9 }).map((text) => foldedWords(text)[0] ?? 'a')
  fc.assert(
    fc.property(fc.uniqueArray(word), fc.uniqueArray(fc.nat(70_000)), (words, places) => {
      expect(decodeWords(encodeWords(words))).toEqual(words)
      const all = new Map(places.map((place) => [`w${place}`, place]))
      const found: number[] = []
      eachNumber(encodeText([...all.keys()], all).numbers, 70_001, (number) => found.push(number))
      expect(found).toEqual(places.toSorted((a, b) => a - b))
    }),
  )
})

test('learns words of two texts, if they are enough', () => {
  const many = Array.from({ length: 200 }, (_, at) => `word${at}`)
  expect(wordsToLearn(0, [many, many.slice(0, 100)])).toEqual([])
  expect(wordsToLearn(0, [many, many.slice(0, 150)])).toHaveLength(150)
  expect(wordsToLearn(9600, [many, many])).toEqual([])
  expect(wordsToLearn(0, [many, many, many.slice(7, 9), many.slice(7, 9)]).slice(0, 2)).toEqual([
    'word7',
    'word8',
  ])
})

describe.each([0, 1, 3])('with a dictionary of %i texts', (known) => {
  const index = indexOf(library, known)
  test.each([
    ['he', []],
    ['zzzz', []],
    ['home zzzz', []],
    ['prodigal', ['prodigal']],
    ['prod', ['prodigal']],
    ['home', ['prodigal', 'shepherd', 'maori']],
    ['home father', ['prodigal']],
    ['prodgial', ['prodigal']],
    ['“prodgial”', []],
    ['whanau', ['maori']],
    ['Theres joy', ['shepherd']],
    ['ninety-nine', ['shepherd']],
    // As typed before those that only begin so.
    ['hea', ['shepherd']],
    ['the', ['prodigal', 'shepherd', 'maori']],
    ['"far off"', ['prodigal']],
    ['"sheep he', ['shepherd']],
    ['"fa of"', []],
    ['', []],
  ])('%j is found in %j', (query, expected) => {
    const { uids, parts } = index.search(query)
    const verified = uids.filter(
      (uid) => searchedText(library[uid as keyof typeof library]).find(parts, 1).length > 0,
    )
    expect(verified).toEqual(expected)
  })
})

test('a word that no text has any more is not suggested', () => {
  const index = finish(spokenIndexInSteps(['grace', 'mercy'], [{ uid: 'a', numbers: '$', own: '' }]))
  expect(index.search('graec').uids).toEqual([])
  expect(index.search('mecry').uids).toEqual(['a'])
})

describe('sentences', () => {
  const find = (uid: keyof typeof library, query: string, most = 3) =>
    searchedText(library[uid]).find(indexOf(library).search(query).parts, most)
  const marked = ({ text, marks }: { text: string; marks: readonly (readonly [number, number])[] }) =>
    marks.map(([from, to]) => text.slice(from, to))

  test('a sentence has its neighbours and time', () => {
    const [found] = find('prodigal', 'wasted')
    expect(found).toMatchObject({ at: 1, start: 5000, text: 'He wasted it in a far country.' })
    expect(found!.before?.text).toBe('The younger son asked for his share.')
    expect(found!.after?.text).toBe('His father saw him from far off, and ran.')
  })

  test('sentences with all words come first', () => {
    expect(find('prodigal', 'far saw').map(({ at }) => at)).toEqual([2])
    expect(find('prodigal', 'wasted saw').map(({ at }) => at)).toEqual([1, 2])
    expect(find('prodigal', 'wasted saw', 1)).toHaveLength(1)
  })

  test('words are marked as they are written', () => {
    expect(marked(find('shepherd', 'theres hea')[0]!)).toEqual(['There’s', 'heaven'])
    expect(marked(find('shepherd', 'nine')[0]!)).toEqual(['ninety', 'nine'])
    expect(marked(find('maori', 'whanau')[0]!)).toEqual(['whānau'])
  })

  test('a quotation goes on into the next sentence', () => {
    const [found] = find('shepherd', '"sheep he carried"')
    expect(found!.at).toBe(0)
    expect(marked(found!)).toEqual(['sheep'])
    expect(marked(found!.after!)).toEqual(['He', 'carried'])
  })

  test('a sentence without a time takes an earlier one', () => {
    const text = searchedText([
      { text: 'One.', start: 700 },
      { text: 'Two.', start: null },
    ])
    expect(text.find([[{ whole: true, beginnings: ['two'] }]], 1)[0]!.start).toBe(700)
    const untimed = searchedText([{ text: 'One.', start: null }])
    expect(untimed.find([[{ whole: true, beginnings: ['one'] }]], 1)[0]!.start).toBeNull()
  })
})

describe('compared with a plain scan', () => {
  const spoken = 'grace gracious hope hopeful faith father love loved the of to māori o’brien sheep'.split(
    ' ',
  )
  const word = fc.constantFrom(...spoken)
  const sentence = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => ({
    text: `${words.join(' ')}.`,
    start: 0,
  }))
  const typed = fc.tuple(word, fc.nat(8), fc.constantFrom('', '', 'x')).map(([w, at, extra]) => {
    const cut = w.slice(0, Math.max(3, at))
    return extra ? `${cut.slice(0, 1)}${extra}${cut.slice(2)}` : cut
  })
  const query = fc.oneof(
    fc.array(typed, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`),
    fc.tuple(typed, word, word).map(([a, b, c]) => `${a} "${b} ${c}" ${a}`),
  )

  test('every query finds the same texts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(sentence, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
        fc.nat(6),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        (texts, known, queries) => {
          const named = Object.fromEntries(texts.map((text, at) => [`t${at}`, text]))
          const index = indexOf(named, known)
          for (const asked of queries) {
            const { uids, parts } = index.search(asked)
            const found = uids.filter((uid) => searchedText(named[uid]!).find(parts, 1).length > 0)
            expect(found.toSorted()).toEqual(scan(named, asked))
          }
        },
      ),
      { seed: 11, numRuns: 300 },
    )
  })
})

/** By the definition: every word begins a word of the text, or its nearest words do; quoted words stand in a row. */
function scan(texts: Record<string, { text: string }[]>, query: string): string[] {
  const all = new Map(
    Object.entries(texts).map(([uid, sentences]) => [
      uid,
      sentences.flatMap(({ text }) => foldedWords(text)),
    ]),
  )
  const vocabulary = [...new Set([...all.values()].flat())]
  const [loose, quoted = '', more = ''] = query.split('"') as [string, string?, string?]
  const phrase = foldedWords(quoted)
  const words = [...foldedWords(loose), ...foldedWords(more)]
  if (![...words, ...phrase].some((word) => word.length > 2 || /[^\0-\u007f]/.test(word))) return []
  const matches = (held: string[]) =>
    words.every((word) => beginnings(word, vocabulary).some((b) => held.some((w) => w.startsWith(b)))) &&
    (phrase.length === 0 || held.some((_, at) => phrase.every((word, place) => held[at + place] === word)))
  return [...all].flatMap(([uid, held]) => (matches(held) ? [uid] : [])).toSorted()
}

function beginnings(word: string, vocabulary: string[]): string[] {
  if (vocabulary.some((known) => known.startsWith(word))) return [word]
  if (word.length < 3) return []
  const slips = word.length < 7 ? 1 : 2
  const prefixes = (known: string) => Array.from({ length: known.length + 1 }, (_, n) => known.slice(0, n))
  for (const away of [
    (known: string) => edits(word, known),
    (known: string) => Math.min(...prefixes(known).map((prefix) => edits(word, prefix))),
  ]) {
    const nearest = Math.min(...vocabulary.map(away))
    if (nearest <= slips) return vocabulary.filter((known) => away(known) === nearest)
  }
  return []
}

/** Optimal string alignment, by its definition. */
function edits(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => i || j),
  )
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const [left, above, both] = [table[i]![j - 1]!, table[i - 1]![j]!, table[i - 1]![j - 1]!]
      let least = Math.min(left + 1, above + 1, both + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, table[i - 2]![j - 2]! + 1)
      table[i]![j] = least
    }
  return table[a.length]![b.length]!
}
