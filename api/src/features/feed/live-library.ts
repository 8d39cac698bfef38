import { keyOf, teachingAt, teachingKey } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { readRevision } from './feed.sql.ts'

/** Every live teaching at one revision of the database. */
export interface LiveLibrary {
  readonly key: string
  /** Newest first. */
  readonly teachings: readonly Teaching[]
  /** The teaching that a path names; undefined where there is none, or it is in the bin. */
  readonly at: (pathname: string) => Teaching | undefined
  readonly withUid: (uid: string) => Teaching | undefined
}

/** The library that feeds, sitemap and pages are made of: read once per revision, for all of them. */
export function liveLibrary({ sql }: Pick<Context, 'sql'>): () => Promise<LiveLibrary> {
  let read: { key: string; library: Promise<LiveLibrary> } | undefined
  return async () => {
    const key = await readRevision(sql)
    if (read?.key !== key) {
      const entry = { key, library: liveTeachings(sql).then((teachings) => libraryOf(key, teachings)) }
      read = entry
      entry.library.catch(() => {
        if (read === entry) read = undefined
      })
    }
    return read.library
  }
}

function libraryOf(key: string, teachings: readonly Teaching[]): LiveLibrary {
  let made: Map<string, Teaching[]> | undefined
  const named = (by: string | undefined) => (made ??= byKey(teachings)).get(by ?? '') ?? []
  return {
    key,
    teachings,
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
