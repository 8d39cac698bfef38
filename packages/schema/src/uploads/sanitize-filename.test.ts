import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { canonicalBooks, formatScripture } from '../scripture.ts'
import { parseFilename } from './parse-filename.ts'
import { sanitizedFilename, storedNameBytes } from './clean-filename.ts'
import { audioExtensions } from './uploads.limits.ts'

const today = '2026-11-22'
const fields = {
  date: '2026-11-22',
  speaker: 'John Smith',
  title: 'Hope',
  scriptureReference: 'Romans 8:28-39',
}

describe('removes illegal characters', () => {
  test.each([
    [{ title: 'Who is Jesus?' }, '2026-11-22_John-Smith"Who_is_Jesus"_Romans_8_28-39.mp3'],
    [{ title: '../../etc/passwd' }, '2026-11-22_John-Smith".._.._etc_passwd"_Romans_8_28-39.mp3'],
    [{ title: 'a\u0000b\u202ec\r\n' }, '2026-11-22_John-Smith"abc"_Romans_8_28-39.mp3'],
    [{ title: '50%22 off' }, '2026-11-22_John-Smith"5022_off"_Romans_8_28-39.mp3'],
    [{ title: '<:|?*>' }, '2026-11-22_John-Smith_Romans_8_28-39.mp3'],
    [{ speaker: 'John "Jack" Smith' }, '2026-11-22_John-Jack-Smith"Hope"_Romans_8_28-39.mp3'],
    [{ speaker: '' }, '2026-11-22_"Hope"_Romans_8_28-39.mp3'],
    [{ scriptureReference: 'Various: see "notes"' }, '2026-11-22_John-Smith"Hope"_Various_see_notes.mp3'],
  ])('%j', (changed, name) => {
    expect(sanitizedFilename({ ...fields, ...changed }, 'mp3')).toBe(name)
  })
})

test.each([
  [{}, '2026-11-22_John-Smith"Hope"_Romans_8_28-39.mp3'],
  [{ title: 'Hope in_Christ' }, '2026-11-22_John-Smith"Hope_in_Christ"_Romans_8_28-39.mp3'],
  [{ title: '' }, '2026-11-22_John-Smith_Romans_8_28-39.mp3'],
  [{ scriptureReference: '' }, '2026-11-22_John-Smith"Hope".mp3'],
  [{ scriptureReference: '1 Jn 4:7-21' }, '2026-11-22_John-Smith"Hope"_1-John_4_7-21.mp3'],
  [{ scriptureReference: 'John 3:16; Jude 5' }, '2026-11-22_John-Smith"Hope"_John_3_16;Jude_1_5.mp3'],
  [{ title: '', scriptureReference: 'Romans' }, '2026-11-22_John-Smith""_Romans.mp3'],
  [{ speaker: "Anne-Marie O'Brien" }, `2026-11-22_Anne--Marie-O'Brien"Hope"_Romans_8_28-39.mp3`],
  [{ speaker: 'Wiremu Pūriri' }, '2026-11-22_Wiremu-Pūriri"Hope"_Romans_8_28-39.mp3'],
])('%j', (changed, name) => {
  expect(sanitizedFilename({ ...fields, ...changed }, 'mp3')).toBe(name)
})

const letter = fc.constantFrom(...'abcdefghijkmnoprstuvwyzABCDEFGHIJKLMNOPRSTUVWéāßж聖'.split(''))
const name = fc.string({ unit: letter, minLength: 2, maxLength: 8 })
const speaker = fc
  .array(
    fc.oneof(
      name,
      fc.tuple(name, name).map(([a, b]) => `${a}-${b}`),
      name.map((n) => `O'${n}`),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((names) => names.join(' '))
const titleWord = fc.string({
  unit: fc.oneof(letter, fc.constantFrom(...Array.from(`0123456789'"“”(),.&!#;=+-%😀`))),
  minLength: 1,
  maxLength: 7,
})
const title = fc
  .array(titleWord, { maxLength: 6 })
  .map((words) => words.join(' '))
  .filter((text) => !/%[0-9a-f]{2}/i.test(text))
const reference = fc
  .tuple(fc.constantFrom(...canonicalBooks), fc.nat(200), fc.nat(200), fc.nat(200))
  .map(([book, c, v, more]) => {
    const chapter = c % book.verses.length
    const verses = book.verses[chapter]!
    const first = 1 + (v % verses)
    const base = book.number * 1_000_000 + (chapter + 1) * 1_000
    return formatScripture({ start: base + first, end: base + Math.min(verses, first + (more % 20)) })
  })
const scripture = fc.oneof(
  reference,
  fc.constantFrom(...canonicalBooks).map((book) => book.name),
  fc.tuple(reference, reference).map((two) => two.join('; ')),
)

describe('for any fields', () => {
  test('the name parses to the same fields', () => {
    fc.assert(
      fc.property(
        fc.record({
          date: fc.constantFrom('2026-11-22', '2024-02-29', '1999-12-31'),
          speaker,
          title,
          scriptureReference: fc.oneof(fc.constant(''), scripture),
        }),
        fc.constantFrom(...audioExtensions),
        (written, extension) => {
          fc.pre(written.title !== '' || written.scriptureReference !== '')
          const read = parseFilename(sanitizedFilename(written, extension), today)
          expect(read).toEqual({
            ...written,
            speaker: written.speaker.normalize('NFC'),
            title: written.title.normalize('NFC'),
            isValid: true,
            errors: [],
          })
        },
      ),
      { seed: 11_22, numRuns: 1000 },
    )
  })

  test('the name is legal on every file system', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(anything, anything, anything, (a, b, c) => {
        const cleaned = sanitizedFilename(
          { date: '2026-11-22', speaker: a, title: b, scriptureReference: c },
          'm4a',
        )
        expect(new TextEncoder().encode(cleaned).length).toBeLessThanOrEqual(storedNameBytes.name)
        expect(cleaned).not.toMatch(/[<>:|?*/\\\p{Cc}\p{Cs}]/u)
        expect(cleaned.endsWith('.m4a')).toBe(true)
      }),
      { seed: 11_22, numRuns: 500 },
    )
  })

  test('a long title is cut, the other fields parse unchanged', () => {
    const long = { ...fields, title: 'ā'.repeat(255) }
    const cleaned = sanitizedFilename(long, 'wav')
    expect(parseFilename(cleaned, today)).toMatchObject({
      speaker: 'John Smith',
      scriptureReference: 'Romans 8:28-39',
      isValid: true,
    })
    expect(new TextEncoder().encode(cleaned).length).toBeGreaterThan(storedNameBytes.name - 2)
  })
})
