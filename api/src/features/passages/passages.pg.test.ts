import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type NewPassage, passages } from '@fellowship/schema/passages/passages.contract'
import { kingJames, nkjv, passageLimits } from '@fellowship/schema/passages/passages.limits'
import { siteReferences } from '@fellowship/schema/passages/site-references'
import { canonicalBooks } from '@fellowship/schema/scripture'
import { call } from '@fellowship/sync/call/call'
import { operatorCommand } from '../../testing/server-process.ts'
import { testApp } from '../../testing/test-app.ts'
import { importPassages, kingJamesPassages, listPassages, seedSitePassages } from './passages.ts'

const app = await testApp()
const { sql } = app.context
beforeEach(() => sql`delete from passages`)

/** Invented text under the licensed translation's name. */
const counted = (reference: string, text = 'Invented words.'): NewPassage => ({
  reference,
  text,
  translation: nkjv.translation,
  copyrightLine: nkjv.copyrightLine,
})
const stored = async () => (await listPassages(app.context)).map(({ reference, text }) => [reference, text])
const chapters = (name: string) =>
  canonicalBooks
    .find((book) => book.name === name)!
    .verses.map((last, at) => counted(`${name} ${at + 1}:1-${last}`))

describe('an import is refused', () => {
  test('refuses an import beyond 500 verses, saved ones included', async () => {
    const first = chapters('Genesis').slice(0, 17)
    const { counted: count } = await importPassages(app.context, first)
    expect(count).toBeGreaterThan(400)
    expect(count).toBeLessThanOrEqual(500)
    const before = await stored()
    const report = await importPassages(app.context, [
      counted('John 3:16'),
      ...chapters('Genesis').slice(16, 22),
    ])
    expect(report).toMatchObject({ added: 0, changed: 0, refusals: [expect.stringContaining('at most 500')] })
    expect(await stored()).toEqual(before)
    expect(await importPassages(app.context, first)).toMatchObject({ added: 0, changed: 0, refusals: [] })
  })

  test('refuses an import of a whole book', async () => {
    expect((await importPassages(app.context, chapters('Jude'))).refusals).toEqual([
      expect.stringContaining('All of Jude'),
    ])
    expect(await stored()).toEqual([])
  })

  test('accepts more with permission or in the public domain', async () => {
    const free = chapters('Psalms').map((row) => ({ ...row, ...kingJames, reference: row.reference }))
    expect(await importPassages(app.context, free)).toMatchObject({ added: 150, counted: 0, refusals: [] })
    const report = await importPassages(app.context, chapters('Jude'), { permission: true })
    expect(report).toMatchObject({ added: 1, counted: 25, refusals: [] })
  })
})

test('a dry run writes nothing', async () => {
  const report = await importPassages(app.context, [counted('John 3:16')], { dryRun: true })
  expect(report).toEqual({ added: 0, changed: 0, counted: 1, refusals: [] })
  expect(await stored()).toEqual([])
})

test('an import adds, updates and sorts passages', async () => {
  await importPassages(app.context, [counted('John 3:16'), counted('Psalm 23:1')])
  const report = await importPassages(app.context, [
    counted('John 3:16', 'Mended.'),
    counted('Psalm 23:1'),
    counted('Genesis 1:1'),
  ])
  expect(report).toMatchObject({ added: 1, changed: 1 })
  expect(await stored()).toEqual([
    ['Genesis 1:1', 'Invented words.'],
    ['Psalm 23:1', 'Invented words.'],
    ['John 3:16', 'Mended.'],
  ])
  expect(await call(passages.list, {}, app.client())).toEqual(await listPassages(app.context))
})

describe('the public-domain text', () => {
  test('the public-domain text covers the site’s references', async () => {
    expect(await seedSitePassages(app.context)).toBe(siteReferences.length)
    const rows = await listPassages(app.context)
    expect(new Set(rows.map(({ reference }) => reference))).toEqual(new Set(siteReferences))
    for (const { text, translation, copyrightLine } of rows) {
      expect(text).toMatch(/^[A-Z(][^#[\]]+[.;:?,!)]$/)
      expect([translation, copyrightLine]).toEqual([kingJames.translation, kingJames.copyrightLine])
    }
    const verse = rows.find(({ reference }) => reference === '1 Corinthians 15:3-4')
    expect(verse?.text).toBe(
      'For I delivered unto you first of all that which I also received, how that Christ died for our sins ' +
        'according to the scriptures; And that he was buried, and that he rose again the third day according to ' +
        'the scriptures:',
    )
  })

  test('seeding adds only missing passages, once', async () => {
    await importPassages(app.context, [counted('Acts 2:42')])
    expect(await seedSitePassages(app.context)).toBe(siteReferences.length - 1)
    expect(await seedSitePassages(app.context)).toBe(0)
  })

  test('lists a reference’s newest translation last', async () => {
    await seedSitePassages(app.context)
    await importPassages(app.context, [counted('Acts 2:42')])
    const both = (await listPassages(app.context)).filter(({ reference }) => reference === 'Acts 2:42')
    expect(both.map(({ translation }) => translation)).toEqual([kingJames.translation, nkjv.translation])
  })

  test('the public-domain text has every book of the catalogue', async () => {
    const first = canonicalBooks.map(({ name }) => `${name === 'Psalms' ? 'Psalm' : name} 1:1`)
    expect(await kingJamesPassages(first)).toHaveLength(66)
    await expect(kingJamesPassages(['Nowhere 1:1'])).rejects.toThrow('no Nowhere 1:1')
  })
})

test('the columns hold the longest allowed values', async () => {
  const longest = {
    reference: '1 Thessalonians 4:13-18',
    text: 'x'.repeat(passageLimits.text),
    translation: 'x'.repeat(passageLimits.translation),
    copyrightLine: 'x'.repeat(passageLimits.copyrightLine),
  }
  expect(await importPassages(app.context, [longest])).toMatchObject({ added: 1 })
})

describe('npm run passages:import', () => {
  let folder: string
  const root = path.resolve(import.meta.dirname, '../../../..')
  const run = (args: string[]) =>
    spawnSync(process.execPath, operatorCommand('passages-import', args), {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, DATA_DIR: path.join(folder, 'data') },
    })
  const file = async (content: string) => {
    folder = await mkdtemp(path.join(tmpdir(), 'passages-'))
    afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const name = path.join(folder, 'mine.csv')
    await writeFile(name, content)
    return name
  }

  test('passages:import reports invalid lines and saves nothing', async () => {
    const name = await file('reference,text,translation\nRom 1,x,NKJV\nJohn 1:1,,NKJV\n')
    const { status, stderr } = run([name])
    expect(status).toBe(1)
    expect(stderr).toMatch(/mine\.csv, line 2: "Rom 1" is not Book Chapter:Verse/)
    expect(stderr).toMatch(/mine\.csv, line 3: The field text is empty\./)
    expect(stderr).toMatch(/Nothing was imported: 2 of the lines/)
  })

  test('passages:import fails without a file', async () => {
    await file('')
    expect(run([])).toMatchObject({ status: 1, stderr: expect.stringContaining('Say which file') as string })
    expect(run(['nowhere.csv']).stderr).toContain('there is no such file')
  })

  test('refuses a file of more than 32 MB with advice', async () => {
    const name = await file('')
    await truncate(name, 32 * 1024 * 1024 + 1)
    expect(run([name])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/mine\.csv was not read\. It is larger than 32 MB.+divide it/) as string,
    })
  })

  test('passages:import imports and counts', async () => {
    const name = await file('reference,text,translation\nJohn 3:16-17,Invented.,NKJV\n')
    expect(run([name])).toMatchObject({
      status: 0,
      stdout: '1 passages added, 0 changed, 0 as they were.\nNKJV: 2 of 500 verses are quoted.\n',
    })
    expect(run([name]).stdout).toContain('0 passages added, 0 changed, 1 as they were.')
  }, 60_000)
})
