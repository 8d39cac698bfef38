import type { SeriesAround } from '@fellowship/schema/series/series-around'
import type { Series } from '@fellowship/schema/series/series.schema'
import { keyOf, teachingAt, teachingKey } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { readRevision } from '../../db/revision.sql.ts'
import { liveSeries } from '../series/series.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { onceMade } from '../../machine/once-made.ts'
import { rowsAroundIn } from './rows-around.ts'
import { seriesIndex, type SeriesWithTeachings } from './series-index.ts'

/** Every live teaching at one revision of the database. */
export interface LiveLibrary {
  readonly key: string
  /** Newest first. */
  readonly teachings: readonly Teaching[]
  /** The teaching that a path names; undefined where there is none, or it is in the bin. */
  readonly at: (pathname: string) => Teaching | undefined
  /** What the page of a teaching shows of the library: it and its neighbours, newest first. */
  readonly around: (teaching: Teaching) => readonly Teaching[]
  /** By title. */
  readonly series: readonly Series[]
  readonly allSeries: () => readonly SeriesWithTeachings[]
  /** The series that a path names, with its teachings in order; undefined where there is none. */
  readonly seriesAt: (pathname: string) => SeriesWithTeachings | undefined
  /** The series that a teaching is in, by title. */
  readonly seriesAround: (teaching: Teaching) => readonly SeriesAround<Teaching>[]
  readonly withUid: (uid: string) => Teaching | undefined
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

/**
 * A library of these rows. What pages ask of it is looked up in indexes, each made for the first who needs it: a page of a
 * large library costs what it costs of a small one.
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
