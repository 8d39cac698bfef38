import { expect, test } from 'vitest'
import { parseScripture } from './scripture.ts'

test.each([
  'John v',
  'mark c',
  'Romans vv 3-5',
  'John verse 3',
  'verses 3 and 4',
  'Romans iiii 2',
  'Romans xx 1',
  'Psalm cli',
  'John 3:16 to 8',
  'John 3:16 (unknown words)',
  'Acts 2 to people',
  'the gospel of hope 3',
  'Psalm 23 a psalm of David',
  'St Paul 3',
  'Romans chapter eight',
  'Mix 3',
])('%j is no reference', (text) => {
  expect(parseScripture(text)).toBeNull()
})

/** Each form as people type it, with the reference it means. */
const typed: readonly [display: string, ...forms: string[]][] = [
  [
    'Jude 1:3-5',
    'Jude vv 3-5',
    'Jude vv. 3-5',
    'Jude verses 3-5',
    'Jude vss 3–5',
    'Jude v 3 to 5',
    'Jude 3 – 5',
  ],
  ['Jude 1:3', 'Jude v. 3', 'Jude v3', 'Jude vs 3', 'Jude verse 3', 'The Letter of Jude 3'],
  ['Jude 1:24; Jude 1:25', 'Jude 24, 25', 'Jude 24 & 25', 'Jude vv 24 and 25'],
  ['3 John 1:4', '3 John v 4', 'III John v. 4', 'Third John verse 4'],
  [
    'Romans 8:28',
    'Rom. viii. 28',
    'Romans VIII:28',
    'Rom viii v 28',
    'Rom 8: v28',
    'Rom. 8, v. 28',
    'ROM. VIII, VERSE 28',
  ],
  [
    'Romans 8:28-39',
    'Romans viii 28-39',
    'Romans 8:28 to 39',
    'Romans 8, verses 28 to 39',
    'Romans 8:28 through 39',
  ],
  ['Psalm 119:105', 'Ps. cxix. 105', 'Psalm CXIX v 105', 'Psalms 119:105 (KJV)'],
  ['Psalm 23', 'Psalm xxiii', 'Ps. XXIII.', 'Psalm 23 (whole)', 'Psalm 23 NIV', '(Psalm 23)'],
  ['Psalm 23; Psalm 24', 'Psalm 23 & 24', 'Psalms 23 and 24', 'Psalm xxiii & xxiv'],
  ['Isaiah 52:13-53:12', 'Isaiah lii. 13 - liii. 12', 'Isaiah 52:13 to 53:12', 'Is. 52.13 – 53.12'],
  [
    'John 3:16',
    'John 3 v 16',
    'John 3 vs 16',
    'John ch. 3 v. 16',
    'John, chapter 3, verse 16',
    'John 3, verse 16',
  ],
  [
    'John 3:16',
    'John 3:16 (NIV)',
    'John 3:16 NIV',
    'John 3:16 [ESV]',
    'John 3:16, ESV',
    'John 3:16 (NIVUK)',
    'John 3:16 (NASB 95)',
  ],
  [
    'John 3:16',
    'St John 3:16',
    'St. John iii. 16',
    'The Gospel of John 3:16',
    'Gospel according to St John 3:16',
  ],
  [
    'John 3:16-18',
    'John 3:16 to 18',
    'John 3 vv 16-18',
    'John 3v16-18',
    'John 3:16—18',
    'John 3.16–18 (The Message)',
  ],
  ['John 3:3; John 3:4', 'John 3 verses 3 and 4', 'John ch 3 vv 3 & 4', 'John 3:3, verse 4'],
  ['John 3:16-36', 'John 3:16ff', 'John 3.16 ff.', 'John iii. 16ff'],
  ['John 3:16-17', 'John 3:16f', 'John 3.16f.', 'John 3 v 16f'],
  ['John 3', 'John ch. 3', 'John ch 3', 'John, ch. 3', 'John chapter 3', 'Book of John 3', 'John iii'],
  ['John 3-5', 'John 3 to 5', 'John chs 3-5', 'John iii-v', 'John chapters 3 to 5'],
  [
    '1 John 4:7',
    '1st John 4:7',
    'First John 4:7',
    'I John 4:7',
    'One John 4:7',
    '1st. John iv. 7',
    '1 Jn 4 v 7',
  ],
  ['2 Timothy 3:16', 'II Timothy iii. 16', 'Second Timothy 3:16', '2nd Tim. 3 v 16', 'Two Timothy 3:16'],
  ['1 Chronicles 3', '1 Ch 3', '1 Chron. iii', 'First Chronicles chapter 3'],
  ['1 Corinthians 13:4-8', '1 Cor 13 verses 4 to 8a', '1 Cor. xiii. 4-8'],
  ['Genesis 50:26-Exodus 1:7', 'Genesis 50:26 to Exodus 1:7', 'Gen. l. 26 – Ex. i. 7'],
  ['Romans 8; 1 Peter 2', 'Romans 8 and I Peter 2', 'Romans viii; 1 Peter ii'],
  [
    'Hebrews 11:1-3; Hebrews 11:6; Hebrews 12:1-2',
    'Heb 11:1-3, 6; 12:1-2 (NASB)',
    'Hebrews 11 vv 1-3, 6; 12 v 1 to 2',
  ],
  ['Ruth', 'The Book of Ruth', 'Book of Ruth'],
  ['Romans 8', 'Letter to the Romans 8', 'The Epistle to the Romans viii', 'Romans_viii'],
]

test.each(typed.flatMap(([display, ...forms]) => forms.map((form) => [form, display])))(
  '%j is %j',
  (form, display) => {
    expect(parseScripture(form)?.display).toBe(display)
  },
)
