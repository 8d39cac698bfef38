import { describe, expect, test } from 'vitest'
import { firstSubmitProblem, looksLikeAudio, scriptureHint } from './submit-checks.ts'

const file = { name: 'x.mp3' }
const complete = { title: 'Hope', speaker: 'John Smith', scriptureReference: 'Romans 8', date: '2026-11-22' }
const problemOf = (changed: Partial<typeof complete>) =>
  firstSubmitProblem({ file, parsedData: { ...complete, ...changed } })

describe('the five submit checks, in order', () => {
  test('1. requires a file', () => {
    expect(firstSubmitProblem({ file: null, parsedData: null })).toEqual({
      title: 'No File Selected',
      description: 'Please select an audio file to upload',
    })
    expect(firstSubmitProblem({ file: null, parsedData: complete })?.title).toBe('No File Selected')
  })

  test('2. requires parsed data', () => {
    expect(firstSubmitProblem({ file, parsedData: null })).toEqual({
      title: 'No Data Available',
      description: 'Please fill in the speaker, the date and a title or scripture reference',
    })
  })

  test.each(['', '  ', '_'])('3. requires a speaker, not %j', (speaker) => {
    const expected = { title: 'Missing Speaker', description: 'Speaker name is required' }
    expect(problemOf({ speaker })).toEqual(expected)
    expect(problemOf({ speaker, title: '', scriptureReference: '', date: '' })).toEqual(expected)
  })

  test.each(['', '  ', '_'])('4. requires a title or a scripture reference, not %j', (blank) => {
    const expected = {
      title: 'Missing Title or Scripture',
      description: 'Either a title or scripture reference is required',
    }
    expect(problemOf({ title: blank, scriptureReference: blank })).toEqual(expected)
    expect(problemOf({ title: blank, scriptureReference: blank, date: '' })).toEqual(expected)
    expect(problemOf({ title: blank })).toBeNull()
    expect(problemOf({ scriptureReference: blank })).toBeNull()
  })

  test.each(['', '22/11/2026', '2026-02-30'])('5. requires a date, not %j', (date) => {
    expect(problemOf({ date })).toEqual({ title: 'Missing Date', description: 'A valid date is required' })
  })

  test('passes with complete fields', () => {
    expect(problemOf({})).toBeNull()
  })
})

describe('a dropped file', () => {
  test.each([
    ['notes.pdf', 'application/pdf'],
    ['holiday.jpg', 'image/jpeg'],
    ['recording', ''],
    ['mp3', ''],
    ['recording.mp3.exe', 'application/x-msdownload'],
  ])('%s (%s) is not audio', (name, type) => {
    expect(looksLikeAudio({ name, type })).toBe(false)
  })

  test.each([
    ['recording.mp3', 'audio/mpeg'],
    ['recording.m4a', 'audio/x-m4a'],
    ['recording.m4a', 'video/mp4'],
    ['recording.WAV', ''],
    ['recording', 'audio/wav'],
    ['recording.ogg', 'audio/ogg'],
  ])('%s (%s) may be audio', (name, type) => {
    expect(looksLikeAudio({ name, type })).toBe(true)
  })
})

test.each(['', ' ', 'Romans 8', 'Jude vv 3-5', 'john_3_16'])('%j needs no hint', (scripture) => {
  expect(scriptureHint(scripture)).toBeUndefined()
})

test.each(['Various', 'Romans 17', 'Jhon 3', '?'])('%j gets a hint', (scripture) => {
  expect(scriptureHint(scripture)).toContain('not found under Books')
})
