import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { kingJames, nkjv } from '@fellowship/schema/passages/passages.limits'
import type { NewPassage, Passage } from '@fellowship/schema/passages/passages.contract'
import { passageTexts } from '@fellowship/schema/passages/passages.texts'
import { isCounted, quotedVerses } from '@fellowship/schema/passages/quoted-verses'
import { siteReferences } from '@fellowship/schema/passages/site-references'
import { canonicalBooks, parseScripture } from '@fellowship/schema/scripture'
import { inTransaction, type Database } from '../../db/connection.ts'
import { allPassages, missingReferences, putPassages } from './passages.sql.ts'

export { allPassages } from './passages.sql.ts'

/** All passages in the order of the Bible; of one passage the newest translation last. */
export async function listPassages({ sql }: { sql: Database }): Promise<Passage[]> {
  const start = ({ reference }: Passage) => parseScripture(reference)?.ranges[0]?.start ?? Infinity
  const rows = await allPassages(sql)
  return rows.sort((a, b) => start(a) - start(b) || a.rev - b.rev)
}

/**
 * Adds the public-domain text of the site's references that have none, so that popovers work from the first start.
 *
 * @returns how many were added
 */
export async function seedSitePassages({ sql }: { sql: Database }): Promise<number> {
  const missing = await missingReferences(sql, siteReferences)
  if (missing.length === 0) return 0
  const passages = await kingJamesPassages(missing)
  const { added } = await inTransaction(sql, (tx) => putPassages(tx, passages))
  return added
}

interface ImportReport {
  readonly added: number
  readonly changed: number
  /** Verses of the counted translation that are quoted, with these. */
  readonly counted: number
  /** The reasons for refusing; empty if the passages were written. */
  readonly refusals: readonly string[]
}

/**
 * Saves passages, all or none. Refuses more than the publisher of the New King James Version allows without permission,
 * unless `permission` is set.
 */
export function importPassages(
  { sql }: { sql: Database },
  passages: readonly NewPassage[],
  { permission = false, dryRun = false }: { permission?: boolean; dryRun?: boolean } = {},
): Promise<ImportReport> {
  return inTransaction(sql, async (tx) => {
    await tx`select sync_alloc()`
    const quoted = [...(await allPassages(tx)), ...passages].filter(({ translation }) =>
      isCounted(translation),
    )
    const { count, wholeBooks } = quotedVerses(quoted.map(({ reference }) => reference))
    const refusals = [
      ...(count > nkjv.mostVerses ? [passageTexts.tooManyVerses(count)] : []),
      ...wholeBooks.map(passageTexts.wholeBook),
    ]
    const refused = refusals.length > 0 && !permission
    const written = refused || dryRun ? { added: 0, changed: 0 } : await putPassages(tx, passages)
    return { ...written, counted: count, refusals: refused ? refusals : [] }
  })
}

/**
 * These references in the public-domain text, one passage each, its verses joined. The text is loaded on demand:
 * only the first start needs it.
 *
 * @throws Error for a reference the text does not have
 */
export async function kingJamesPassages(references: readonly string[]): Promise<NewPassage[]> {
  const file = createRequire(import.meta.url).resolve('kjv/json/verses-1769.json')
  const verses = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
  return references.map((reference) => ({
    reference,
    text: versesOf(reference)
      .map((name) => plain(verses[name] ?? missing(name)))
      .join(' '),
    ...kingJames,
  }))
}

/** The verses of a reference within one chapter, as the text names them. */
function versesOf(reference: string): string[] {
  const { start, end } = parseScripture(reference)?.ranges[0] ?? missing(reference)
  const { name } = canonicalBooks[Math.floor(start / 1_000_000) - 1]!
  const book = name === 'Song of Solomon' ? "Solomon's Song" : name
  const chapter = Math.floor(start / 1_000) % 1_000
  return Array.from({ length: end - start + 1 }, (_, at) => `${book} ${chapter}:${(start % 1_000) + at}`)
}

/** Removes '#', which begins a paragraph, and the brackets around translators' additions. */
const plain = (verse: string) =>
  verse
    .replace(/[#[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

function missing(name: string): never {
  throw new Error(`The King James text has no ${name}.`)
}
