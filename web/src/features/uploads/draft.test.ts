import { emptyText } from '@fellowship/schema/teachings/teaching-words'
import type { ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { describe, expect, test } from 'vitest'
import {
  corrected,
  type Draft,
  isInProgress,
  readable,
  refusalOfRecording,
  restored,
  tagged,
  withDate,
} from './draft.ts'

const draft = (given: Partial<Draft> = {}): Draft => ({
  id: 1,
  file: new File(['sound'], '22-11-2026 Hope.mp3'),
  step: 'editing',
  fields: { ...emptyText, title: 'Hope' },
  parse: null,
  problem: null,
  withoutCheck: false,
  ...given,
})
const parsed = (given: Partial<ParsedFilename> = {}): ParsedFilename => ({
  title: 'Grace',
  speaker: 'Jane',
  scriptureReference: 'Romans 8',
  date: '2026-11-22',
  isValid: true,
  errors: [],
  ...given,
})
const problem = { field: undefined, title: 'Too large', message: '' }

test.each([
  ['parsing', false],
  ['editing', false],
  ['checking', true],
  ['saving', true],
] as const)('a draft that is %s is in progress: %s', (step, isSo) => {
  expect(isInProgress(draft({ step }))).toBe(isSo)
})

test('a parsed name gives the fields, and ends the problem', () => {
  const { isValid, errors, ...fields } = parsed({ errors: ['No date.'] })
  expect(readable(draft({ step: 'parsing', problem }), { ...fields, isValid, errors })).toMatchObject({
    step: 'editing',
    fields,
    parse: { isValid, errors },
    problem: null,
  })
})

test('restores typed words once the fields are known', () => {
  expect(restored(draft(), { speaker: 'Jane' }, 5)).toMatchObject({
    fields: { title: 'Hope', speaker: 'Jane' },
    typed: { speaker: 'Jane' },
    restoredAt: 5,
  })
  expect(restored(draft({ fields: null }), { speaker: 'Jane' }, 5).fields).toBeNull()
})

test('only a problem without a field is of the recording', () => {
  expect(refusalOfRecording(draft())).toBeNull()
  expect(refusalOfRecording(draft({ problem }))).toBe(problem)
  expect(refusalOfRecording(draft({ problem: { ...problem, field: 'title' } }))).toBeNull()
})

test('reads a date of another format from the name', () => {
  expect(withDate(draft(), parsed({ date: '' })).date).toBe('2026-11-22')
  expect(withDate(draft(), parsed({ date: '2025-01-01' })).date).toBe('2025-01-01')
  expect(withDate(draft({ file: new File([''], 'Hope.mp3') }), parsed({ date: '' })).date).toBe('')
})

test('corrects empty fields alone, also of an unparsed name', () => {
  expect(corrected(draft(), parsed()).fields).toMatchObject({ title: 'Hope', speaker: 'Jane' })
  expect(corrected(draft({ fields: null }), parsed({ isValid: false }))).toMatchObject({
    fields: { title: 'Grace', date: '2026-11-22' },
    parse: { isValid: false, errors: [] },
  })
})

describe('the tags of a file', () => {
  const tags = { title: 'Tag', speaker: 'Speaker', date: '2020-01-01' } as Parameters<typeof tagged>[1]
  const none = {} as typeof tags

  test.each([
    ['fill empty fields', {}, tags, tags],
    ['give no title beside a scripture', { scriptureReference: 'Romans 8' }, tags, { ...tags, title: '' }],
    [
      'replace nothing',
      { title: 'A', speaker: 'B', date: 'C' },
      tags,
      { title: 'A', speaker: 'B', date: 'C' },
    ],
    ['may be missing', {}, none, { title: '', speaker: '', date: '' }],
  ])('%s', (_, fields, given, wanted) => {
    expect(tagged(draft({ fields: { ...emptyText, ...fields } }), given).fields).toMatchObject(wanted)
  })

  test('are ignored before the fields are known, and while sending', () => {
    const [unknown, sending] = [draft({ fields: null }), draft({ step: 'saving' })]
    expect(tagged(unknown, tags)).toBe(unknown)
    expect(tagged(sending, tags)).toBe(sending)
  })
})
