import { describe, expect, test } from 'vitest'
import { enteredFields, someFields } from '../uploads/uploads.schema.ts'
import { aTeaching } from '../testing/builders.ts'
import {
  addedWords,
  editOf,
  emptyText,
  requestWords,
  storedWords,
  teachingWords,
  textOf,
  wordNames,
  wordsIn,
} from './teaching-words.ts'
import { teaching, teachingEdit, teachingFields } from './teachings.schema.ts'

const first = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }

describe('each word is checked wherever a person writes it', () => {
  test.each(wordNames)('%s longer than its column is refused by every shape', (name) => {
    const long = { ...first, [name]: 'x'.repeat(teachingWords[name].maxLength + 1) }
    for (const shape of [teachingFields, teachingEdit, enteredFields, someFields])
      expect(shape.safeParse(long).success).toBe(false)
  })

  test.each(wordNames.filter((name) => teachingWords[name].input === 'line'))(
    '%s refuses a second line',
    (name) => expect(teachingFields.safeParse({ ...first, [name]: 'a\nb' }).success).toBe(false),
  )

  test('an edit without title, speaker or date is refused', () => {
    for (const name of ['title', 'speaker', 'date'])
      expect(teachingEdit.safeParse({ ...first, [name]: '' }).success).toBe(false)
  })

  test('normalizes the line ends of a form', () => {
    const { description } = teachingFields.parse({ ...first, description: ' one\r\ntwo\rthree ' })
    expect(description).toBe('one\ntwo\nthree')
  })
})

describe('every place that lists words has all of them', () => {
  test.each([
    ['row', Object.keys(teaching.shape)],
    ['new teaching', Object.keys(teachingFields.shape)],
    ['edit', Object.keys(teachingEdit.shape)],
    ['form', Object.keys(enteredFields.shape)],
    ['upload metadata', Object.keys(someFields.shape)],
    ['builder', Object.keys(aTeaching())],
  ])('%s', (_place, names) => {
    expect(names).toEqual(expect.arrayContaining(wordNames))
  })
})

describe('a client that does not know a later word', () => {
  test.each(addedWords)('an edit without %s leaves it unchanged', (name) => {
    expect(teachingEdit.parse(first)).not.toHaveProperty(name)
    expect(storedWords(wordsIn(first))).not.toHaveProperty(name)
  })

  test('an edit changes a later word only if sent', () => {
    expect(editOf(first, { speaker: 'Jane Smith' })).toEqual({ ...first, speaker: 'Jane Smith' })
    const described = { ...first, description: 'Of what does not fade.' }
    expect(editOf(described, described)).toEqual(first)
    expect(editOf(described, { description: '' })).toEqual({ ...first, description: '' })
  })

  test('an absent later word does not change the key', () => {
    expect(requestWords(first)).toEqual(['Hope', 'John Smith', '2026-11-22', ''])
    expect(requestWords({ ...first, description: '' })).not.toEqual(requestWords(first))
  })
})

test('empty nullable words are null in a row', () => {
  for (const name of wordNames)
    expect(storedWords(emptyText)[name], name).toBe(teachingWords[name].nullable ? null : '')
  expect(textOf(storedWords(emptyText))).toEqual(emptyText)
})
