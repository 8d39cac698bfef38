import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCaptions } from './caption-file.ts'
import { transcriptLimits } from './transcripts.limits.ts'
import { sentences as rule, type Sentence } from './transcripts.schema.ts'
import { vttOf, withTimes } from './vtt-file.ts'

const read = (text: string): Sentence[] => {
  const file = readCaptions(text)
  if ('fault' in file) throw new Error(file.fault)
  return file.sentences
}
const fault = (text: string) => {
  const file = readCaptions(text)
  return 'fault' in file ? file.fault : 'no fault'
}
const brief = (text: string) => read(text).map(({ start, end, text: words }) => [start, end, words])
const both = [
  [1000, 2500, 'He said so'],
  [3000, 4000, 'X'],
]

describe('faults name their line', () => {
  test.each([
    ['', /no sentence/],
    ['WEBVTT\n\n', /no sentence/],
    ['<!doctype html>\n<p>404 --> </p>', /web page/],
    [String.raw`{\rtf1 Hello}`, /web page/],
    ['WEBVTT\n\n00:01.000 --> 00:02.000\na\n\n00:99.000 --> 00:04.000\nb', /^Line 6 .*00:99/],
    ['WEBVTT\n\n00:05.000 -> 00:06.000\na', /^Line 3 .*no time ahead/],
    ['WEBVTT\n\n00:05.000 --> 00:02.000\na', /line 3/],
    ['WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nlost words', /^Line 6 .*lost words/],
    ['1\n00:00:01,000 --> 00:00:0x,500\na', /^Line 2 /],
    ['lost\n\n1\n00:00:01,000 --> 00:00:02,500\na', /^Line 1 .*lost/],
    ['0:00:01.000,0:00:02.500\na\n\n0:00:03.000;0:00:04.000\nb', /^Line 4 /],
    ['[0:10] a\n[0:75] b', /^Line 2 .*\[0:75\]/],
    ['[0:10] a\nb [0:05] c', /line 2 .*\[0:05\]/],
    ['[99:00:00] a', /^Line 1 /],
  ])('%j', (text, sentence) => {
    expect(fault(text)).toMatch(sentence)
  })
})

describe('reads', () => {
  test.each([
    [
      'CRLF',
      '1\r\n00:00:01,000 --> 00:00:02,500\r\nHe said\r\nso\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nX\r\n',
    ],
    ['CR alone', 'WEBVTT\r\r00:01.000 --> 00:02.500\rHe said\rso\r\r00:03.000 --> 00:04.000\rX'],
    ['no numbers', '00:00:01,000 --> 00:00:02,500\nHe said so\n\n00:00:03,000 --> 00:00:04,000\nX'],
    ['short times', '1\n0:00:01 --> 0:00:02,5\nHe said so\n\n2\n0:03.0 --> 0:04\nX'],
    ['no blank lines', '1\n00:00:01,000 --> 00:00:02,500\nHe said so\n2\n00:00:03,000 --> 00:00:04,000\nX'],
    [
      'blank lines inside',
      '1\n00:00:01,000 --> 00:00:02,500\nHe said\n\nso\n\n2\n00:00:03,000 --> 00:00:04,000\nX',
    ],
    ['another order', 'WEBVTT\n\n00:03.000 --> 00:04.000\nX\n\n00:01.000 --> 00:02.500\nHe said so\n'],
    ['SBV', '0:00:01.000,0:00:02.500\nHe said[br]so\n\n0:00:03.000,0:00:04.000\nX\n'],
    [
      'settings',
      '\uFEFFWEBVTT - a\nX-A: b\n\n1\n00:01.000 --> 00:02.500 align:start\nHe said so\n\n00:03.000 --> 00:04.000\nX',
    ],
    [
      'styles',
      'WEBVTT\n\nSTYLE\n::cue{}\n\nREGION\nid:a\n\nNOTE x --> y\nz\n\n00:01.000 --> 00:02.500\nHe <c.a>said</c> <00:02.000><i>so</i>\n\n00:03.000 --> 00:04.000\nX',
    ],
    [
      'SRT tags',
      String.raw`1` +
        '\n00:00:01,000 --> 00:00:02,500\n{\\an8}<font color="red">He said</font> so\n\n2\n00:00:03,000 --> 00:00:04,000\nX',
    ],
  ])('%s', (_name, text) => {
    expect(brief(text)).toEqual(both)
  })

  test('voices, characters and the language of a VTT', () => {
    const text =
      'WEBVTT\nLanguage: en-NZ\n\n00:01.000 --> 00:02.000\n<v.loud Ruth Ann>1 &lt; 2 &amp; 3 < 4 &#8217;\n<v Tom>Yes\n'
    expect(readCaptions(text)).toEqual({
      language: 'en-NZ',
      sentences: [
        { start: 1000, end: 2000, about: false, voice: 'Ruth Ann', text: '1 < 2 & 3 < 4 ’' },
        { start: 1000, end: 2000, about: false, voice: 'Tom', text: 'Yes' },
      ],
    })
  })

  test('plain text as sentences without times', () => {
    const text = 'Grace to you. Mr. Smith read Rom. 8:28 to us!\n“Is it\nso?” She did.\n\nAmen'
    const words = ['Grace to you.', 'Mr. Smith read Rom. 8:28 to us!', '“Is it so?”', 'She did.', 'Amen']
    expect(brief(text)).toEqual(words.map((each) => [null, null, each]))
  })

  test('times in plain text, with estimates between them', () => {
    const text = 'Welcome.\n[0:10] First one. Other one. [00:30] Last.\n1:00:00\nEnd. More.'
    expect(read(text).map(({ start, about, text: words }) => [start, about, words])).toEqual([
      [null, false, 'Welcome.'],
      [10_000, false, 'First one.'],
      [20_000, true, 'Other one.'],
      [30_000, false, 'Last.'],
      [3_600_000, false, 'End.'],
      [null, false, 'More.'],
    ])
  })

  test('a sentence over the limit in several parts', () => {
    const parts = read(`WEBVTT\n\n00:00.000 --> 00:10.000\n${'word '.repeat(500)}`)
    expect(parts.map(({ text }) => text).join(' ')).toBe('word '.repeat(500).trim())
    expect(parts.map(({ start, end, about }) => [start! < end!, about])).toEqual([
      [true, false],
      [true, true],
      [true, true],
    ])
  })
})

test('a VTT that was written reads back the same', () => {
  const voice = fc.constantFrom('', 'Ruth', 'A & B')
  const text = fc.constantFrom('Grace to you.', 'a < b --> c', '<v Tom>', '&amp; “x”', 'NOTE', '7')
  const one = fc.record({ start: fc.option(fc.integer({ min: 0, max: 80_000_000 })), voice, text })
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 20 }), (made) => {
      const all = made
        .toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0))
        .map((each) => ({ ...each, end: null, about: false }))
      const timed = withTimes(all, 85_000_000)
      expect(rule.safeParse(timed).success).toBe(true)
      expect(readCaptions(vttOf(timed, 'en'))).toEqual({ sentences: timed, language: 'en' })
    }),
    { numRuns: 200 },
  )
})

const corpus = [
  'WEBVTT\n\nNOTE a\n\n1\n00:01.000 --> 00:02.500 align:start\n<v Ruth>He <i>said</i> &amp; so\n\n00:03.000 --> 00:04.000\nX\n',
  '1\r\n00:00:01,000 --> 00:00:02,500\r\nHe said\r\nso\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nX\r\n',
  '0:00:01.000,0:00:02.500\nHe said[br]so\n\n0:00:03.000,0:00:04.000\nX\n',
  'Welcome. [0:10] First one. Other one.\n[00:30] Last.\n1:00:00\nEnd. More.',
]

test('mutated files give sentences within the rules, or a fault', () => {
  const count = Number(process.env['FUZZED_CAPTIONS'] ?? 1000)
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.constantFrom(
      '-->',
      '\n\n',
      '\r',
      '<v ',
      '>',
      '[',
      '99:99',
      '00:00:05.000 --> 00:00:04.000\n',
      '&#x10ffff;',
      '&#xd800;',
    ),
  )
  const edit = fc.record({ at: fc.nat(200), cut: fc.nat(20), piece })
  const outcomes = { read: 0, refused: 0 }
  fc.assert(
    fc.property(fc.constantFrom(...corpus), fc.array(edit, { minLength: 1, maxLength: 4 }), (file, edits) => {
      let text = file
      for (const { at, cut, piece: put } of edits) text = text.slice(0, at) + put + text.slice(at + cut)
      const result = readCaptions(text)
      if ('fault' in result) expect(result.fault).toMatch(/[.!”]$/)
      else expect(rule.safeParse(result.sentences).error?.message).toBeUndefined()
      outcomes['fault' in result ? 'refused' : 'read'] += 1
    }),
    { numRuns: count },
  )
  expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(count / 20)
  if (process.env['FUZZED_CAPTIONS']) console.info(count, outcomes)
})

test('hostile files of the greatest size end before the timeout', () => {
  const cue = '00:00.000 --> 00:01.000'
  const evil = [
    '<',
    '<a',
    '[0:01]',
    '&#',
    `\n${cue}\n`,
    `${cue} `,
    '1\n',
    '. A',
    '{\\',
    '"',
    '<v ',
    ' \n\n',
    'Mr. A',
  ]
  for (const each of evil) {
    const text = each.repeat(transcriptLimits.fileBytes / each.length)
    expect(readCaptions(`WEBVTT\n\n${cue}\n${text}`)).toHaveProperty('fault')
    expect(readCaptions(text)).toHaveProperty('fault')
  }
})
