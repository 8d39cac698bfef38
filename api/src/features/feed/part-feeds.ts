import { church } from '@fellowship/schema/church'
import { booksOf } from '@fellowship/schema/teachings/teaching-facets'
import { nameSlug } from '@fellowship/schema/teachings/name-slug'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { FeedPart } from './feed-xml.ts'

/** A speaker or a book, with its teachings in the order of the library. */
export interface PartOfLibrary extends FeedPart {
  readonly teachings: Teaching[]
}

/** Whether an address may be the feed of a speaker or of a book. */
export const isPartFeed = (pathname: string): boolean =>
  /^\/(speakers|books)\/[^/]+\/feed\.xml$/.test(pathname)

/**
 * The speakers and books that have teachings, by the path of their feed, which is not percent-encoded. Names that differ
 * in capitals, accents or punctuation only share one feed, under the newest spelling.
 *
 * @param teachings newest first
 */
export function partsOf(teachings: readonly Teaching[]): ReadonlyMap<string, PartOfLibrary> {
  const parts = new Map<string, PartOfLibrary>()
  const add = (kind: keyof typeof sentences, name: string, teaching: Teaching) => {
    const slug = nameSlug(name)
    if (slug === '') return
    const path = `/${kind}/${slug}/feed.xml`
    const known = parts.get(path)
    if (known) return void known.teachings.push(teaching)
    const page = `/teaching?${queries[kind]}=${encodeURIComponent(name)}`
    parts.set(path, {
      path: encodeURI(path),
      page,
      name,
      about: sentences[kind](name),
      teachings: [teaching],
    })
  }
  for (const teaching of teachings) {
    add('speakers', teaching.speaker, teaching)
    for (const book of booksOf(teaching.scriptureReference)) add('books', book, teaching)
  }
  return parts
}

const queries = { speakers: 'speaker', books: 'book' }
const sentences = {
  speakers: (name: string) => `Teaching by ${name} at ${church.name}.`,
  books: (name: string) => `Teaching on ${name} at ${church.name}.`,
}
