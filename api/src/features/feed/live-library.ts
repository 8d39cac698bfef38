import { keyOf, teachingAt, teachingKey } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { seriesAt, slugAt, teachingsOf } from '@fellowship/schema/series/series-address'
import { seriesAround, type SeriesAround } from '@fellowship/schema/series/series-around'
import type { Series } from '@fellowship/schema/series/series.schema'
import { liveSeries } from '../series/series.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { readRevision } from './feed.sql.ts'

/** Every live teaching at one revision of the database. */
export interface LiveLibrary {
  readonly key: string
  /** Newest first. */
  readonly teachings: readonly Teaching[]
  /** The teaching that a path names; undefined where there is none, or it is in the bin. */
  readonly at: (pathname: string) => Teaching | undefined
  /** By title. */
  readonly series: readonly Series[]
  readonly allSeries: () => readonly SeriesWithTeachings[]
  /** The series that a path names, with its teachings in order; undefined where there is none. */
  readonly seriesAt: (pathname: string) => SeriesWithTeachings | undefined
  /** The series that a teaching is in, by title. */
  readonly seriesAround: (teaching: Teaching) => readonly SeriesAround<Teaching>[]
  readonly withUid: (uid: string) => Teaching | undefined
}

/** A series with those of its teachings that are in the library, in order. */
interface SeriesWithTeachings {
  readonly series: Series
  readonly teachings: readonly Teaching[]
}

/** The library that feeds, sitemap and pages are made of: read once per revision, for all of them. */
export function liveLibrary({ sql }: Pick<Context, 'sql'>): () => Promise<LiveLibrary> {
  let read: { key: string; library: Promise<LiveLibrary> } | undefined
  return async () => {
    const key = await readRevision(sql)
    if (read?.key !== key) {
      const entry = { key, library: readLibrary(sql, key) }
      read = entry
      entry.library.catch(() => {
        if (read === entry) read = undefined
      })
    }
    return read.library
  }
}

async function readLibrary(sql: Context['sql'], key: string): Promise<LiveLibrary> {
  const [teachings, series] = await Promise.all([liveTeachings(sql), liveSeries(sql)])
  return libraryOf(key, teachings, series)
}

function libraryOf(key: string, teachings: readonly Teaching[], series: readonly Series[]): LiveLibrary {
  let byUid: Map<string, Teaching> | undefined
  let made: Map<string, Teaching[]> | undefined
  const named = (by: string | undefined) => (made ??= byKey(teachings)).get(by ?? '') ?? []
  const rows = () => (byUid ??= new Map(teachings.map((teaching) => [teaching.uid, teaching])))
  const withTeachings = (each: Series): SeriesWithTeachings => ({
    series: each,
    teachings: teachingsOf(each, rows()),
  })
  return {
    key,
    teachings,
    series,
    allSeries: () => series.map(withTeachings),
    seriesAt(pathname) {
      const slug = slugAt(pathname)
      const found = slug === undefined ? undefined : seriesAt(series, slug)
      return found && withTeachings(found)
    },
    seriesAround: (teaching) => seriesAround(series, teaching, rows()),
    at: (pathname) => teachingAt(named(teachingKey(pathname)), pathname),
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
