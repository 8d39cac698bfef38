import { parseScripture } from '../scripture.ts'
import { canonicalBooks } from '../scripture-books.ts'
import { nameSlug } from '../text-folding.ts'
import { booksOf } from './teaching-facets.ts'
import type { Teaching } from './teachings.schema.ts'

/** The property that groups teachings, as the first part of the address. */
export const groupKinds = ['speakers', 'books'] as const
export type GroupKind = (typeof groupKinds)[number]

/** A speaker or a book with its teachings, a page and a feed of its own. */
export interface TeachingGroup {
  readonly kind: GroupKind
  /** The path of the page, not percent-encoded: '/speakers/john-smith'. */
  readonly path: string
  readonly name: string
  /** In the order of the library. */
  readonly teachings: readonly Teaching[]
}

/** A group as the list of all names it. */
interface CountedGroup extends Omit<TeachingGroup, 'teachings'> {
  readonly count: number
}

/** The path of the group with this name; undefined if the name has no letter or digit. */
export function groupPath(kind: GroupKind, name: string): string | undefined {
  const slug = nameSlug(name)
  return slug === '' ? undefined : `/${kind}/${slug}`
}

/** The group at an address. */
export interface GroupAddress {
  readonly kind: GroupKind
  /** Of the page. */
  readonly path: string
}

/** The group at a path, with or without a trailing slash; undefined for any other path. */
export function groupAddress(pathname: string): GroupAddress | undefined {
  const [, kind, name] = /^\/([a-z]+)\/([^/]+)\/?$/.exec(pathname) ?? []
  const known = groupKinds.find((each) => each === kind)
  if (!known || name === undefined) return undefined
  const path = groupPath(known, name)
  return path === undefined ? undefined : { kind: known, path }
}

/**
 * The speakers and books that have teachings, by the path of their page. Names that differ in capitals, accents or
 * punctuation only are one group, under the newest spelling.
 *
 * @param teachings newest first; grouped once, as long as it is the same array
 */
export function teachingGroups(teachings: readonly Teaching[]): ReadonlyMap<string, TeachingGroup> {
  const known = grouped.get(teachings)
  if (known) return known
  const groups = new Map<string, TeachingGroup & { teachings: Teaching[] }>()
  const paths = new Map<string, string | undefined>()
  const pathOf = (kind: GroupKind, name: string) => {
    const key = `${kind} ${name}`
    if (!paths.has(key)) paths.set(key, groupPath(kind, name))
    return paths.get(key)
  }
  const add = (kind: GroupKind, name: string, teaching: Teaching) => {
    const path = pathOf(kind, name)
    if (path === undefined) return
    const group = groups.get(path)
    if (group) group.teachings.push(teaching)
    else groups.set(path, { kind, path, name, teachings: [teaching] })
  }
  for (const teaching of teachings) {
    add('speakers', teaching.speaker, teaching)
    for (const book of booksOf(teaching.scriptureReference)) add('books', book, teaching)
  }
  grouped.set(teachings, groups)
  return groups
}

const grouped = new WeakMap<readonly Teaching[], ReadonlyMap<string, TeachingGroup>>()

/** The teachings of a group as its page lists them: those of a book in the order of its verses, others as the library. */
export function listedTeachings({ kind, name, teachings }: TeachingGroup): readonly Teaching[] {
  if (kind !== 'books') return teachings
  const known = inVerseOrder.get(teachings)
  if (known) return known
  const book = canonicalBooks.find((each) => each.name === name)?.number ?? 0
  const verses = new Map(
    teachings.map((teaching) => [teaching, firstVerseIn(book, teaching.scriptureReference)]),
  )
  const sorted = [...teachings].sort((a, b) => verses.get(a)! - verses.get(b)!)
  inVerseOrder.set(teachings, sorted)
  return sorted
}

const inVerseOrder = new WeakMap<readonly Teaching[], readonly Teaching[]>()

/** As a comparable number; the beginning of the book for a passage that begins before it. */
function firstVerseIn(book: number, reference: string | null): number {
  const ranges = parseScripture(reference ?? '')?.ranges ?? []
  const [from, to] = [book * 1_000_000, (book + 1) * 1_000_000]
  return Math.min(
    ...ranges.filter(({ start, end }) => start < to && end >= from).map(({ start }) => Math.max(start, from)),
  )
}

/**
 * All groups of a kind with their numbers of teachings: speakers by name, books in the order of the Bible.
 *
 * @param teachings newest first; counted once, as long as it is the same array
 */
export function groupsOfKind(kind: GroupKind, teachings: readonly Teaching[]): readonly CountedGroup[] {
  const known = counted[kind].get(teachings)
  if (known) return known
  const groups = countGroups(kind, teachings)
  counted[kind].set(teachings, groups)
  return groups
}

const counted: Readonly<Record<GroupKind, WeakMap<readonly Teaching[], readonly CountedGroup[]>>> = {
  speakers: new WeakMap(),
  books: new WeakMap(),
}

function countGroups(kind: GroupKind, teachings: readonly Teaching[]): CountedGroup[] {
  const place = new Map(canonicalBooks.map(({ name, number }) => [name, number]))
  return [...teachingGroups(teachings).values()]
    .filter((group) => group.kind === kind)
    .map(({ path, name, teachings: { length } }) => ({ kind, path, name, count: length }))
    .sort((a, b) =>
      kind === 'books' ? place.get(a.name)! - place.get(b.name)! : a.name.localeCompare(b.name),
    )
}
