import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { NewPassage } from '@fellowship/schema/passages/passages.schema'
import { kingJames } from '@fellowship/schema/passages/passages.limits'
import { canonicalBooks, parseScripture } from '@fellowship/schema/scripture'

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
