import {
  slugAt,
  teachingsOf,
  type SeriesAround,
  seriesAround,
} from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { keyOf, teachingAt, teachingKey } from '@fellowship/schema/teachings/teaching-address'
import { booksOf } from '@fellowship/schema/teachings/teaching-facets'
import { groupPath, teachingGroups } from '@fellowship/schema/teachings/teaching-groups'
import { mostRelated, rowsAround } from '@fellowship/schema/teachings/teaching-neighbours'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { readRevision } from '../../db/kept-by-revision.ts'
import { madeForKey, onceMade } from '../../machine/caches.ts'
import { refreshSite } from '../site/site.ts'
import { liveSeries } from '../series/series.ts'
import { liveTeachings } from '../teachings/teachings.ts'

/** Every live teaching at one revision of the database. */
export interface LiveLibrary {
  readonly key: string
  /** Newest first. */
  readonly teachings: readonly Teaching[]
  /** The teaching of a path; undefined if it is unknown or in the bin. */
  readonly at: (pathname: string) => Teaching | undefined
  /** The rows of a teaching's page: it and its neighbours, newest first. */
  readonly around: (teaching: Teaching) => readonly Teaching[]
  /** By title. */
  readonly series: readonly Series[]
  readonly allSeries: () => readonly SeriesWithTeachings[]
  /** The series of a path, with its teachings in order; undefined if it is unknown. */
  readonly seriesAt: (pathname: string) => SeriesWithTeachings | undefined
  /** The series that a teaching is in, by title. */
  readonly seriesAround: (teaching: Teaching) => readonly SeriesAround<Teaching>[]
  readonly withUid: (uid: string) => Teaching | undefined
}

/** The library behind feeds, sitemap and pages: read once per revision for all of them. */
export function liveLibrary({ sql, config }: Pick<Context, 'sql' | 'config'>): () => Promise<LiveLibrary> {
  const library = madeForKey<LiveLibrary>()
  return async () => {
    const key = await readRevision(sql)
    return library(key, async () => {
      // Another process may have changed it in this revision.
      await refreshSite({ sql, config })
      return readLibrary(sql, key)
    })
  }
}

async function readLibrary(sql: Context['sql'], key: string): Promise<LiveLibrary> {
  const [teachings, series] = await Promise.all([liveTeachings(sql), liveSeries(sql)])
  return libraryOf(key, teachings, series)
}

/**
 * A library of these rows. Pages read from indexes, each made when it is first needed: a page of a
 * large library costs no more than one of a small library.
 */
export function libraryOf(
  key: string,
  teachings: readonly Teaching[],
  series: readonly Series[],
): LiveLibrary {
  const byDigits = onceMade(() => byKey(teachings))
  const rows = onceMade(() => new Map(teachings.map((teaching) => [teaching.uid, teaching])))
  const named = (digits: string | undefined) => byDigits().get(digits ?? '') ?? []
  return {
    key,
    teachings,
    series,
    ...seriesIndex(series, rows),
    at: (pathname) => teachingAt(named(teachingKey(pathname)), pathname),
    around: rowsAroundIn(teachings),
    withUid: (uid) => named(keyOf({ uid })).find((teaching) => teaching.uid === uid),
  }
}

function byKey(teachings: readonly Teaching[]): Map<string, Teaching[]> {
  const named = new Map<string, Teaching[]>()
  for (const teaching of teachings) {
    const key = keyOf(teaching)
    const known = named.get(key)
    if (known) known.push(teaching)
    else named.set(key, [teaching])
  }
  return named
}

/**
 * `rowsAround` of a whole library, which compares no more than the rows that it may choose from.
 *
 * @param teachings newest first
 */
export function rowsAroundIn(teachings: readonly Teaching[]): (teaching: Teaching) => Teaching[] {
  const places = onceMade(() => new Map(teachings.map(({ uid }, at) => [uid, at])))
  const unnamed = onceMade(() => withoutPath(teachings))
  return (teaching) => {
    const at = places().get(teaching.uid)
    if (at === undefined) return rowsAround(teachings, teaching)
    const [book] = booksOf(teaching.scriptureReference)
    const chosen = [
      ...teachings.slice(Math.max(0, at - 1), at + 2),
      ...firstOf(bySpeaker(teaching.speaker)),
      ...(book === undefined ? [] : firstOf(groupAt('books', book))),
    ]
    const inOrder = [...new Set(chosen)].sort(
      (one, other) => places().get(one.uid)! - places().get(other.uid)!,
    )
    return rowsAround(inOrder, teaching)
  }

  function groupAt(kind: 'books' | 'speakers', name: string): readonly Teaching[] | undefined {
    const path = groupPath(kind, name)
    return path === undefined ? undefined : teachingGroups(teachings).get(path)?.teachings
  }

  function bySpeaker(name: string): readonly Teaching[] | undefined {
    return groupPath('speakers', name) === undefined ? unnamed().get(name) : groupAt('speakers', name)
  }
}

/** One more than are shown, since the teaching itself may be among them. */
const firstOf = (rows: readonly Teaching[] = []) => rows.slice(0, mostRelated + 1)

/** The teachings of speakers whose name has no letter or digit: they have no group. */
function withoutPath(teachings: readonly Teaching[]): Map<string, Teaching[]> {
  const unnamed = new Map<string, Teaching[]>()
  const named = new Set<string>()
  for (const teaching of teachings) {
    const { speaker } = teaching
    if (named.has(speaker)) continue
    const known = unnamed.get(speaker)
    if (known) known.push(teaching)
    else if (groupPath('speakers', speaker) === undefined) unnamed.set(speaker, [teaching])
    else named.add(speaker)
  }
  return unnamed
}

/** A series with those of its teachings that are in the library, in order. */
interface SeriesWithTeachings {
  readonly series: Series
  readonly teachings: readonly Teaching[]
}

/**
 * Finds series by their address and by their teachings, of which a library may have thousands with hundreds each.
 *
 * @param all by title
 * @param rows the library by uid
 */
function seriesIndex(all: readonly Series[], rows: () => ReadonlyMap<string, Teaching>) {
  const found = new Map<Series, SeriesWithTeachings>()
  const bySlug = onceMade(() => new Map(all.map((series) => [series.slug, series])))
  // A link of the device that began a series may hold its uid.
  const byUid = onceMade(() => new Map(all.map((series) => [series.uid, series])))
  const byTeaching = onceMade(() => withTeaching(all))
  return {
    allSeries: onceMade(() => all.map(withTeachings)),
    seriesAt(pathname: string): SeriesWithTeachings | undefined {
      const slug = slugAt(pathname)
      const series = slug === undefined ? undefined : (bySlug().get(slug) ?? byUid().get(slug))
      return series && withTeachings(series)
    },
    seriesAround: (teaching: Teaching): SeriesAround<Teaching>[] =>
      seriesAround(byTeaching().get(teaching.uid) ?? [], teaching, rows()),
  }

  function withTeachings(series: Series): SeriesWithTeachings {
    const known = found.get(series) ?? { series, teachings: teachingsOf(series, rows()) }
    found.set(series, known)
    return known
  }
}

function withTeaching(all: readonly Series[]): Map<string, Series[]> {
  const having = new Map<string, Series[]>()
  for (const series of all) {
    for (const uid of new Set(series.teachings)) {
      const known = having.get(uid)
      if (known) known.push(series)
      else having.set(uid, [series])
    }
  }
  return having
}
