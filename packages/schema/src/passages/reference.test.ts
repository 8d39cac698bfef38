import { describe, expect, test } from 'vitest'
import { siteReferences } from './site-references.ts'
import { canonicalReference, splitAtReferences } from './reference.ts'

const linked = (text: string, known?: readonly string[]) =>
  splitAtReferences(text, (reference) => (!known || known.includes(reference) ? reference : undefined))
    .filter(({ found }) => found !== undefined)
    .map(({ text: shown, found }) => (shown === found ? found : `${shown} = ${found}`))

describe('finds no reference', () => {
  test.each([
    'this is 1:16 pm at the hall',
    'Acts 2 people came',
    'see Job 3 days later',
    'the marks 3:16 are wrong',
    'Rom 8:28 is an abbreviation',
    'john 3:16 without its capital',
    'StJohn 3:16',
    'John 3 : 16',
    'John 3:16a',
    'John 3:16:2',
    'Genesis 1:26-2:3',
    'Genesis 1:26–2:3',
    'John 3:99',
    'John 22:1',
    'Genesis 0:1',
    'John 3:18-16',
    'Hezekiah 3:16',
    '3 Peter 1:1',
    '',
  ])('%j', (text) => {
    expect(linked(text)).toEqual([])
    expect(canonicalReference(text)).toBeUndefined()
  })

  test('ignores references outside the table', () => {
    expect(linked('John 3:16 and John 3:17', ['John 3:17'])).toEqual(['John 3:17'])
    expect(linked('John 3:16-17', ['John 3:16'])).toEqual([])
  })
})

test.each([
  ['(Ephesians 4:15)', ['Ephesians 4:15']],
  ['John 3:16, 1 Peter 3:15; 2 Timothy 3:16-17.', ['John 3:16', '1 Peter 3:15', '2 Timothy 3:16-17']],
  ['John 3:16 1 Peter 3:15', ['John 3:16', '1 Peter 3:15']],
  ['1 John 4:7-12', ['1 John 4:7-12']],
  ['Psalms 23:1-6 and Psalm 1:1', ['Psalms 23:1-6 = Psalm 23:1-6', 'Psalm 1:1']],
  ['Song of Solomon 2:1–3', ['Song of Solomon 2:1–3 = Song of Solomon 2:1-3']],
  ['in 1961 John 3:16 was read', ['John 3:16']],
  ['Jude 1:3', ['Jude 1:3']],
  ['Read John 3:16-', ['John 3:16']],
])('%j', (text, expected) => {
  expect(linked(text)).toEqual(expected)
})

test('the pieces joined are the text', () => {
  const text = 'As John 3:16 says; see Romans 8:28-39, too.'
  const pieces = splitAtReferences(text, (reference) => reference)
  expect(pieces.map((piece) => piece.text).join('')).toBe(text)
  expect(pieces.map(({ found }) => found)).toEqual([
    undefined,
    'John 3:16',
    undefined,
    'Romans 8:28-39',
    undefined,
  ])
})

test('a long hostile text is parsed in linear time', () => {
  const started = Date.now()
  expect(linked('1 John 3: '.repeat(50_000))).toEqual([])
  expect(linked('John '.repeat(100_000))).toEqual([])
  expect(Date.now() - started).toBeLessThan(2_000)
})

test('the references of the site are in canonical form', () => {
  expect(siteReferences.map(canonicalReference)).toEqual(siteReferences)
  expect(new Set(siteReferences).size).toBe(siteReferences.length)
})
