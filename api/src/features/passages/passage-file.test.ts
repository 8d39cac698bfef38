import { existsSync } from 'node:fs'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { nkjv } from '@fellowship/schema/passages/passages.limits'
import { afterAll, describe, expect, test } from 'vitest'
import { loadPassageFile, readPassageFile } from './passage-file.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'passage-file-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const header = 'reference,text,translation,copyright line\n'
const problems = (content: string) =>
  readPassageFile(content).problems.map(({ line, sentence }) => `${line}: ${sentence}`)

describe('reports the line and the reason', () => {
  test.each([
    ['', '1: The first line must name the columns'],
    ['reference,text\nJohn 1:1,x', '1: The first line must name the columns'],
    [`${header}John 1:1,x`, '2: This line has 2 fields where 4 are expected.'],
    [`${header}Rom 1:1,x,My,Line`, '2: "Rom 1:1" is not Book Chapter:Verse'],
    [`${header}Genesis 1:26-2:3,x,My,Line`, '2: "Genesis 1:26-2:3" is not'],
    [`${header}John 3:99,x,My,Line`, '2: "John 3:99" is not'],
    [`${header}\n\nJohn 1:1,,My,Line`, '4: The field text is empty.'],
    [`${header}John 1:1,x,,Line`, '2: The field translation is empty.'],
    [`${header}John 1:1,x,Unheard Of,`, '2: The field copyrightLine is empty.'],
    [`${header}John 1:1,${'x'.repeat(10_001)},My,Line`, '2: The field text is too long: at most 10000'],
    [
      `${header}John 1:1,a,My,L\nJohn 1:2,"b\nb",My,L\nJohn 1:1,c,My,L`,
      '5: John 1:1 stands in line 2 already.',
    ],
    [
      `${header}John 1:1,x,My,Line\nJohn 1:2,"x,My,Line`,
      '3: A quotation mark is opened here and never closed.',
    ],
    [`${header}John 1:1,x,"My"self,Line`, '2: A quotation mark is opened here and never closed.'],
    ['{"reference":"John 1:1"}', '1: This is not a JSON list'],
    ['[{"reference":', '1: This is not a JSON list'],
    ['[3]', '1: This is not a JSON list'],
    ['[{"reference":"John 1:1","text":"x","translation":7}]', '1: The field translation is empty.'],
  ])('reports line and reason for %j', (content, expected) => {
    expect(problems(content)).toEqual([expect.stringContaining(expected)])
  })

  test.each([
    ['CSV of too many passages', `${header}${'John 1:1,x,My,Line\n'.repeat(100_001)}`, 100_002],
    ['CSV of blank lines', `${header}${'\n'.repeat(100_001)}`, 100_002],
    ['JSON of too many passages', `[${'{},'.repeat(100_000)}{}]`, 100_001],
  ])('refuses %s', (_, content, line) => {
    expect(problems(content)).toEqual([expect.stringContaining(`${line}: There are more than 100,000 lines`)])
  })

  test('reads the good lines of a file with bad ones', () => {
    const { passages } = readPassageFile(`${header}John 1:1,x,My,Line\nJohn,x,My,Line`)
    expect(passages.map(({ reference }) => reference)).toEqual(['John 1:1'])
  })
})

describe('loads at most 32 MB', () => {
  const limit = 32 * 1024 * 1024

  test('loads a file of at most 32 MB', async () => {
    const file = path.join(folder, 'large.csv')
    await writeFile(file, 'x'.repeat(limit))
    expect((await loadPassageFile(file))?.length).toBe(limit)
    await truncate(file, limit + 1)
    expect(await loadPassageFile(file)).toBeUndefined()
  })

  test.skipIf(!existsSync('/dev/zero'))('stops reading an endless device after 32 MB', async () => {
    expect(await loadPassageFile('/dev/zero')).toBeUndefined()
  })
})

const expected = {
  reference: 'Psalm 23:1',
  text: 'He said, "Come," and they came.',
  translation: 'My Version',
  copyrightLine: '© Somebody',
}

test.each([
  ['CSV', `${header}Psalm 23:1,"He said, ""Come,""\n and they came.",My Version,© Somebody`],
  [
    'CSV of a spreadsheet',
    `\uFEFFTranslation,Reference,Text,Copyright\r\nMy Version, Psalms 23:1 ,"He said, ""Come,"" and they came.","© Somebody"\r\n`,
  ],
  [
    'CSV with blank lines and mixed line endings',
    `\n${header}\r\n\nPsalm 23:1,"He said, ""Come,""\r\nand they came.",My Version,© Somebody\r`,
  ],
  ['JSON', JSON.stringify([expected])],
])('reads %s', (_, content) => {
  expect(readPassageFile(content)).toEqual({ passages: [expected], problems: [] })
})

test('fills in the copyright line of a known translation', () => {
  const { passages } = readPassageFile('reference,text,translation\nJohn 1:1,x,nkjv')
  expect(passages[0]).toMatchObject({ translation: nkjv.translation, copyrightLine: nkjv.copyrightLine })
})
