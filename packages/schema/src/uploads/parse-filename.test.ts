import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { fileNameTexts as texts } from './file-name.texts.ts'
import { parseFilename } from './parse-filename.ts'

const today = '2026-11-22'
const noTitleOrScripture =
  'Either a title or scripture reference is required. Name must hold one of them or both, such as 2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3.'
const noDate = 'Name must start with a date such as 2026-11-22, year first, followed by an underscore.'
const noSpeaker =
  'Name must give the speaker after the date, first and last name joined by a hyphen, such as 2026-11-22_John-Smith.'
const noExtension =
  'Name must end in .mp3, .wav or .m4a, such as 2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3.'
const notQuoted =
  "Title must stand between quotes, such as 2026-11-22_John-Smith\"Hope in Christ\".mp3. Where quotes cannot be typed, write two apostrophes on each side: ''Hope in Christ''."
const notJoined =
  'First and last name of the speaker must be joined by a hyphen, such as John-Smith; a title must stand between quotes, such as "Hope in Christ".'
const hidden =
  'Name must not hold control characters or characters that turn the direction of text. Type it again, such as 2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3.'
const illegalIn = (part: string) =>
  `${part} must not hold characters that are not allowed in file names (< > : | ? * / \\), such as 2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3.`
const scriptureForm = (reason: string) =>
  `${reason}Scripture must be written Book_Chapter_StartVerse-EndVerse, such as Romans_8_28-39 or Genesis_1_26-2_3.`

/** Date, speaker, title, scripture. */
type Read = [date: string, speaker: string, title: string, scripture: string]

function fieldsOf(name: string): Read {
  const { date, speaker, title, scriptureReference } = parseFilename(name, today)
  return [date, speaker, title, scriptureReference]
}

describe('an invalid name gets a sentence per broken rule and keeps the fields that could be parsed', () => {
  const d = '2026-11-22'
  const cases: [name: string, sentences: string[], fields: Read][] = [
    ['', [noDate, noSpeaker, noTitleOrScripture, noExtension], ['', '', '', '']],
    ['.mp3', [noDate, noSpeaker, noTitleOrScripture], ['', '', '', '']],
    ['recording.mp3', [noDate, noSpeaker, noTitleOrScripture], ['', '', '', '']],
    // Default names of phones, recorders and meetings: the parser must not guess from them.
    ['IMG_20261004_voice.m4a', [noDate, noSpeaker, noTitleOrScripture], ['', '', '', '']],
    ['New Recording 12.m4a', [noDate, noSpeaker, noTitleOrScripture], ['', '', '', '']],
    ['zoom recording.mp3', [noDate, noSpeaker, noTitleOrScripture], ['', '', '', '']],
    [`${d} zoom recording.mp3`, [noSpeaker, noTitleOrScripture], [d, '', '', '']],
    [`${d}_New_Recording_12.m4a`, [noSpeaker, noTitleOrScripture], [d, '', '', '']],
    ['Sunday morning.mp3', [noDate, noSpeaker, noTitleOrScripture], ['', '', '', '']],
    ['John-Smith"Hope".mp3', [noDate], ['', 'John Smith', 'Hope', '']],
    ['22-11-2026_John-Smith"Hope".mp3', [noDate], ['', 'John Smith', 'Hope', '']],
    ['20261122_John-Smith"Hope".mp3', [noDate], ['', 'John Smith', 'Hope', '']],
    ['2026_11_22_John-Smith"Hope".mp3', [noDate], ['', 'John Smith', 'Hope', '']],
    ['2026-11-22John-Smith"Hope".mp3', [noDate], ['', 'John Smith', 'Hope', '']],
    ['26-11-22_John-Smith_John_3_16.mp3', [noDate], ['', 'John Smith', '', 'John 3:16']],
    [
      '2026-02-30_John-Smith"Hope".mp3',
      ['2026-02-30 isn’t a real date. Name must start with a date such as 2026-11-22.'],
      ['', 'John Smith', 'Hope', ''],
    ],
    [
      '2026-13-01_John-Smith"Hope".mp3',
      ['2026-13-01 isn’t a real date. Name must start with a date such as 2026-11-22.'],
      ['', 'John Smith', 'Hope', ''],
    ],
    [`${d}.mp3`, [noSpeaker, noTitleOrScripture], [d, '', '', '']],
    [`${d}_"Hope"_John_3.mp3`, [noSpeaker], [d, '', 'Hope', 'John 3']],
    [`${d}_---"Hope".mp3`, [noSpeaker], [d, '', 'Hope', '']],
    [`${d}_123"Hope".mp3`, [noSpeaker], [d, '123', 'Hope', '']],
    [`${d}_John-Smith.mp3`, [noTitleOrScripture], [d, 'John Smith', '', '']],
    [`${d}_John-Smith"".mp3`, [noTitleOrScripture], [d, 'John Smith', '', '']],
    [`${d}_John-Smith"___".mp3`, [noTitleOrScripture], [d, 'John Smith', '', '']],
    [`${d}_John-Smith_Hope.mp3`, [notQuoted], [d, 'John Smith', 'Hope', '']],
    [
      `${d}_John-Smith_Hope_in_Christ_Romans_8_28.mp3`,
      [notQuoted],
      [d, 'John Smith', 'Hope in Christ', 'Romans 8:28'],
    ],
    [`${d}_John-Smith"Hope_Romans_8.mp3`, [notQuoted], [d, 'John Smith', 'Hope', 'Romans 8']],
    [`${d}_John-Smith_Hope"_Romans_8.mp3`, [notQuoted], [d, 'John Smith', 'Hope', 'Romans 8']],
    [`${d}_John-Smith''Hope_Romans_8.mp3`, [notQuoted], [d, 'John Smith', 'Hope', 'Romans 8']],
    [`${d}_John-Smith"_Romans_8.mp3`, [notQuoted], [d, 'John Smith', '', 'Romans 8']],
    // A first name and a gospel, a first name and a title, or a first and a last name?
    [`${d}_John_Mark.mp3`, [notJoined, noTitleOrScripture], [d, 'John Mark', '', '']],
    [`${d}_John_Smith_John_3_16.mp3`, [notJoined], [d, 'John Smith', '', 'John 3:16']],
    [`${d}_John_Smith-Jones_John_3_16.mp3`, [notQuoted], [d, 'John', 'Smith-Jones', 'John 3:16']],
    [
      `${d}_John-Smith_John_3_${Array.from({ length: 30 }, (_, i) => i + 1).join(',')}.mp3`,
      ['Scripture must not be longer than 255 characters, such as Romans_8_28-39.'],
      [d, 'John Smith', '', Array.from({ length: 30 }, (_, i) => `John 3:${i + 1}`).join('; ')],
    ],
    [
      `${d}_John-Smith"Who is Jesus?"_John_8.mp3`,
      [illegalIn('Title')],
      [d, 'John Smith', 'Who is Jesus?', 'John 8'],
    ],
    [`${d}_John-Smith"Part 1: Hope".mp3`, [illegalIn('Title')], [d, 'John Smith', 'Part 1: Hope', '']],
    [`${d}_<b>John"Hope".mp3`, [illegalIn('Speaker')], [d, '<b>John', 'Hope', '']],
    [
      `${d}_John-Smith_Jhon_3_16.mp3`,
      [scriptureForm('"Jhon" is not a book of the Bible. ')],
      [d, 'John Smith', '', 'Jhon 3 16'],
    ],
    [
      `${d}_John-Smith"Hope"_Various.mp3`,
      [scriptureForm('"Various" is not a book of the Bible. ')],
      [d, 'John Smith', 'Hope', 'Various'],
    ],
    [
      `${d}_John-Smith_John_3_99.mp3`,
      [scriptureForm('John 3 has 36 verses. ')],
      [d, 'John Smith', '', 'John 3 99'],
    ],
    [
      `${d}_John-Smith"Hope"_Romans_17.mp3`,
      [scriptureForm('Romans has 16 chapters. ')],
      [d, 'John Smith', 'Hope', 'Romans 17'],
    ],
    [
      `${d}_John-Smith"Hope"_Jude_2_1.mp3`,
      [scriptureForm('Jude has 1 chapter. ')],
      [d, 'John Smith', 'Hope', 'Jude 2 1'],
    ],
    [
      `${d}_John-Smith"Hope"_Romans_8_39-28.mp3`,
      [scriptureForm('The last verse must not come before the first. ')],
      [d, 'John Smith', 'Hope', 'Romans 8 39-28'],
    ],
    [`${d}_John-Smith"Hope"_8_28.mp3`, [scriptureForm('')], [d, 'John Smith', 'Hope', '8 28']],
    [`${d}_John-Smith"Hope"`, [noExtension], [d, 'John Smith', 'Hope', '']],
    [`${d}_John-Smith"Hope".exe`, [noExtension], [d, 'John Smith', 'Hope', '']],
    [`${d}_John-Smith"Hope".mp3.exe`, [noExtension], [d, 'John Smith', 'Hope', '']],
    [`${d}_John-Smith"Hope".mp3.filepart`, [noExtension], [d, 'John Smith', 'Hope', '']],
    [`${d}_John-Smith"Hope"_Romans_8.`, [noExtension], [d, 'John Smith', 'Hope', 'Romans 8']],
    ['../../etc/passwd', [noDate, noSpeaker, noTitleOrScripture, noExtension], ['', '', '', '']],
    ['..%2f..%2fetc%2f%22passwd%22', [noDate, noSpeaker, noExtension], ['', '', 'passwd', '']],
    [`${d}_John-Smith"Hope".mp3\u0000.exe`, [hidden, noExtension], [d, 'John Smith', 'Hope', '']],
    [`${d}_John-Smith"Hope"\r\n_John_3.mp3`, [hidden], [d, 'John Smith', 'Hope', 'John 3']],
    [
      `${d}_John-Smith"Hope"_John_\u202e61_3.mp3`,
      [hidden, scriptureForm('John has 21 chapters. ')],
      [d, 'John Smith', 'Hope', 'John 61 3'],
    ],
    [`${d}_John-Smith"\u2066Hope\u2069".mp3`, [hidden], [d, 'John Smith', 'Hope', '']],
    [`${d}_John-Smith%00"Hope"%20.mp3`, [hidden], [d, 'John Smith', 'Hope', '']],
    [`${d}_😀"Hope".mp3`, [noSpeaker], [d, '😀', 'Hope', '']],
    [
      `${d}_${'J'.repeat(256)}"Hope".mp3`,
      ['Speaker must not be longer than 255 characters, such as John-Smith.'],
      [d, 'J'.repeat(256), 'Hope', ''],
    ],
    [
      `${d}_John-Smith"${'x'.repeat(256)}".mp3`,
      ['Title must not be longer than 255 characters, such as "Hope in Christ".'],
      [d, 'John Smith', 'x'.repeat(256), ''],
    ],
    [
      `${d}_John-Smith"${'x'.repeat(500)}".mp3`,
      [
        'Name must not be longer than 500 characters, such as 2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3.',
      ],
      ['', '', '', ''],
    ],
  ]

  test.each(cases)('%j', (name, sentences, fields) => {
    expect(parseFilename(name, today).errors).toEqual(sentences)
    expect(parseFilename(name, today).isValid).toBe(false)
    expect(fieldsOf(name)).toEqual(fields)
  })

  test('every sentence contains an example', () => {
    const sentences = Object.values(texts).map((text) => (typeof text === 'string' ? text : text.toString()))
    expect(sentences.length).toBeGreaterThan(10)
    for (const sentence of sentences) expect(sentence).toContain('such as')
  })
})

describe('a valid name', () => {
  const d = '2026-11-22'
  const romans = 'Romans 8:28-39'
  const cases: [name: string, ...fields: Read][] = [
    [`${d}_John-Smith"Hope in Christ"_Romans_8_28-39.mp3`, d, 'John Smith', 'Hope in Christ', romans],
    [`${d}_John-Smith"Hope_in_Christ"_Romans_8_28-39.mp3`, d, 'John Smith', 'Hope in Christ', romans],
    [`${d}_John-Smith"Hope".mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith_Romans_8_28-39.mp3`, d, 'John Smith', '', romans],
    // Extensions.
    [`${d}_John-Smith"Hope".wav`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith"Hope".m4a`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith"Hope".MP3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith_Romans_8_28-39.M4A`, d, 'John Smith', '', romans],
    [`${d}_John-Smith"Hope".mp3.mp3`, d, 'John Smith', 'Hope', ''],
    // Scripture.
    [`${d}_John-Smith_Romans_8.mp3`, d, 'John Smith', '', 'Romans 8'],
    [`${d}_John-Smith_Romans_8_28.mp3`, d, 'John Smith', '', 'Romans 8:28'],
    [`${d}_John-Smith_Romans_7-8.mp3`, d, 'John Smith', '', 'Romans 7-8'],
    [`${d}_John-Smith_Genesis_1_26-2_3.mp3`, d, 'John Smith', '', 'Genesis 1:26-2:3'],
    [`${d}_John-Smith_1-John_4_7-21.mp3`, d, 'John Smith', '', '1 John 4:7-21'],
    [`${d}_John-Smith_1_John_4_7-21.mp3`, d, 'John Smith', '', '1 John 4:7-21'],
    [`${d}_John-Smith_1John_4_7-21.mp3`, d, 'John Smith', '', '1 John 4:7-21'],
    [`${d}_John-Smith_I_John_4_7-21.mp3`, d, 'John Smith', '', '1 John 4:7-21'],
    [`${d}_John-Smith"Love"_1-John_4_7-21.mp3`, d, 'John Smith', 'Love', '1 John 4:7-21'],
    [`${d}_John-Smith"Love"_1_John_4_7-21.mp3`, d, 'John Smith', 'Love', '1 John 4:7-21'],
    [`${d}_John-Smith_2-Corinthians_5_17.mp3`, d, 'John Smith', '', '2 Corinthians 5:17'],
    [`${d}_John-Smith_Song_of_Solomon_2_1-3.mp3`, d, 'John Smith', '', 'Song of Solomon 2:1-3'],
    [`${d}_John-Smith_Song-of-Solomon_2_1-3.mp3`, d, 'John Smith', '', 'Song of Solomon 2:1-3'],
    [`${d}_John-Smith_Jude_5.mp3`, d, 'John Smith', '', 'Jude 1:5'],
    [`${d}_John-Smith_Jude_1_5-7.mp3`, d, 'John Smith', '', 'Jude 1:5-7'],
    [`${d}_John-Smith_Psalm_23.mp3`, d, 'John Smith', '', 'Psalm 23'],
    [`${d}_John-Smith_Ps_23_1-6.mp3`, d, 'John Smith', '', 'Psalm 23:1-6'],
    [`${d}_John-Smith_Rom_8_28–39.mp3`, d, 'John Smith', '', romans],
    [`${d}_John-Smith_Romans.mp3`, d, 'John Smith', '', 'Romans'],
    [`${d}_John"An overview"_Romans.mp3`, d, 'John', 'An overview', 'Romans'],
    [`${d}_John-Smith_John_3_16;Romans_8_1.mp3`, d, 'John Smith', '', 'John 3:16; Romans 8:1'],
    [`${d}_John-Smith_1 John 4:7-21.mp3`, d, 'John Smith', '', '1 John 4:7-21'],
    [`${d}_John-Smith"Hope" Romans 8.28.mp3`, d, 'John Smith', 'Hope', 'Romans 8:28'],
    [`${d}_John-Smith"Hope"Romans_8_28-39.mp3`, d, 'John Smith', 'Hope', romans],
    [`${d}_John-Smith""_Romans_8_28-39.mp3`, d, 'John Smith', '', romans],
    // Speakers.
    [`${d}_Mark_John_3_16.mp3`, d, 'Mark', '', 'John 3:16'],
    [`${d}_John"Hope".mp3`, d, 'John', 'Hope', ''],
    [`${d}_Mary-Jane-van-der-Berg"Hope".mp3`, d, 'Mary Jane van der Berg', 'Hope', ''],
    [`${d}_Anne--Marie-Smith"Hope".mp3`, d, 'Anne-Marie Smith', 'Hope', ''],
    [`${d}_John_Smith"Hope".mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John Smith "Hope".mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith_"Hope"_Romans_8.mp3`, d, 'John Smith', 'Hope', 'Romans 8'],
    [`${d} John-Smith"Hope".mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_Pat-O'Brien"God's love"_John_3.mp3`, d, "Pat O'Brien", "God's love", 'John 3'],
    [`${d}_Pat-O’Brien_John_3_16.mp3`, d, 'Pat O’Brien', '', 'John 3:16'],
    [`${d}_Wiremu-Pūriri"Te Aroha"_1-John_4_7-21.mp3`, d, 'Wiremu Pūriri', 'Te Aroha', '1 John 4:7-21'],
    [`${d}_Wiremu-Pu\u0304riri"Ma\u0304ori".mp3`, d, 'Wiremu Pūriri', 'Māori', ''],
    // Quotes as clients and operating systems encode them.
    [`${d}_John-Smith“Hope in Christ”_Romans_8.mp3`, d, 'John Smith', 'Hope in Christ', 'Romans 8'],
    [`${d}_John-Smith”Hope”.mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith„Hoffnung“.mp3`, d, 'John Smith', 'Hoffnung', ''],
    [`${d}_John-Smith＂Hope＂_Romans_8.mp3`, d, 'John Smith', 'Hope', 'Romans 8'],
    [`${d}_John-Smith″Hope″.mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith%22Hope%20in%20Christ%22_Romans_8.mp3`, d, 'John Smith', 'Hope in Christ', 'Romans 8'],
    [`${d}_John-Smith%E2%80%9CHope%E2%80%9D.mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith''Hope in Christ''_Romans_8.mp3`, d, 'John Smith', 'Hope in Christ', 'Romans 8'],
    [`${d}_Pat-O'Brien''God's love''_John_3.mp3`, d, "Pat O'Brien", "God's love", 'John 3'],
    [`${d}_John-Smith''The disciples'''_John_3.mp3`, d, 'John Smith', "The disciples'", 'John 3'],
    [`${d}_John-Smith’’Hope’’.mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith'Hope in Christ'_Romans_8.mp3`, d, 'John Smith', 'Hope in Christ', 'Romans 8'],
    [`${d}_John-Smith‘Hope’.mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_Pat-O'Brien'Hope'_John_3.mp3`, d, "Pat O'Brien", 'Hope', 'John 3'],
    [`${d}_Pat-O'Brien'God's love'.mp3`, d, "Pat O'Brien", "God's love", ''],
    // Quotes within titles.
    [`${d}_John-Smith"The "I Am" sayings"_John_8.mp3`, d, 'John Smith', 'The "I Am" sayings', 'John 8'],
    [`${d}_John-Smith"“I Am”"_John_8.mp3`, d, 'John Smith', '“I Am”', 'John 8'],
    [`${d}_John-Smith"''I Am''"_John_8.mp3`, d, 'John Smith', "''I Am''", 'John 8'],
    // Characters in titles.
    [
      `${d}_John-Smith"100% grace, (part 2) & more!"_Romans_8.mp3`,
      d,
      'John Smith',
      '100% grace, (part 2) & more!',
      'Romans 8',
    ],
    [`${d}_John-Smith"v2.0 of me".mp3`, d, 'John Smith', 'v2.0 of me', ''],
    [`${d}_John-Smith"Joy 😀 👨‍👩‍👧".mp3`, d, 'John Smith', 'Joy 😀 👨‍👩‍👧', ''],
    [`${d}_דוד-לוי"רוּת"_Ruth_1.mp3`, d, 'דוד לוי', 'רוּת'.normalize('NFC'), 'Ruth 1'],
    [`${d}_王-小明"盼望"_Romans_8.mp3`, d, '王 小明', '盼望', 'Romans 8'],
    // Additions of clients.
    [`C:\\fakepath\\${d}_John-Smith"Hope".mp3`, d, 'John Smith', 'Hope', ''],
    [`/home/me/2020-01-01_x/${d}_John-Smith"Hope".mp3`, d, 'John Smith', 'Hope', ''],
    [`../${d}_John-Smith"Hope".mp3`, d, 'John Smith', 'Hope', ''],
    [`${d}_John-Smith"Hope"_Romans_8_28-39 (1).mp3`, d, 'John Smith', 'Hope', romans],
    [`${d}_John-Smith"Hope" - Copy (2).mp3`, d, 'John Smith', 'Hope', ''],
    [`  ${d}_John-Smith"Hope".mp3  `, d, 'John Smith', 'Hope', ''],
    [`\ufeff${d}_John-Smith"\u200eHope\u200b".mp3`, d, 'John Smith', 'Hope', ''],
    ['2024-02-29_John-Smith"Leap day".mp3', '2024-02-29', 'John Smith', 'Leap day', ''],
  ]

  test.each(cases)('%j', (name, ...fields) => {
    expect(parseFilename(name, today).errors).toEqual([])
    expect(parseFilename(name, today).isValid).toBe(true)
    expect(fieldsOf(name)).toEqual(fields)
  })
})

describe('any input', () => {
  const anyName = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc
      .array(
        fc.constantFrom(
          ..."2026-11-22|_|-|\"|'|''|“|”|%22|%|John|Smith|Hope|Romans|8|28|1|.mp3|.|/|\\|\u0000|\u202e|é|😀| ".split(
            '|',
          ),
          '|',
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  )

  test('is valid exactly when it has no errors', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const { isValid, errors, ...fields } = parseFilename(name, today)
        expect(isValid).toBe(errors.length === 0)
        for (const field of Object.values(fields)) {
          expect(field).toBe(field.trim())
          expect(field).not.toMatch(/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u)
        }
        if (isValid) {
          expect(fields.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
          expect(fields.speaker).not.toBe('')
          expect(fields.title + fields.scriptureReference).not.toBe('')
        }
      }),
      { seed: 2026, numRuns: 1000 },
    )
  })

  test.each([
    '_'.repeat(500),
    '2026-11-22_' + 'a_1_'.repeat(120),
    '2026-11-22_' + '"'.repeat(480),
    '2026-11-22_' + "'".repeat(480),
    '2026-11-22_' + 'John-'.repeat(95),
    '(1)'.repeat(166),
    '.mp3'.repeat(125),
    '%22'.repeat(166),
    '-'.repeat(500),
  ])('%# is parsed without catastrophic backtracking', (name) => {
    for (let i = 0; i < 20; i++) expect(parseFilename(name, today).isValid).toBe(false)
  })
})
