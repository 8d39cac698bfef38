import { createHash } from 'node:crypto'
import { buildTeachingIndex, type TeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { compressedBody, type CompressedBody } from '../../http/compressed-body.ts'
import { liveTeachings } from './teachings.sql.ts'

/** The list of one revision: its bytes as they go out, and the index that searches it. */
export interface Catalogue {
  readonly etag: string
  readonly body: CompressedBody
  readonly index: () => TeachingIndex<Teaching>
}

/**
 * The whole list, made once per revision of the database. Who asks the clock first sees every write of every
 * process, so the next answer after a change is the new list. In a rush, and only then, an answer of the clock serves
 * those who come within the next few milliseconds too: less than the way to them takes.
 */
export function catalogue({ sql, changes }: Pick<Context, 'sql' | 'changes'>): () => Promise<Catalogue> {
  let made: { key: string; list: Promise<Catalogue> } | undefined
  const inRush = rushOf(rush)
  changes.listen(inRush.forget)
  const currentKey = inRush.ask(
    shared(async () => {
      const [clock] = await sql<{ key: string }[]>`select epoch || '.' || rev as key from sync_clock`
      return clock!.key
    }),
  )
  return async () => {
    const key = await currentKey()
    if (made?.key !== key) {
      const list = liveTeachings(sql).then(build)
      made = { key, list }
      list.catch(() => {
        if (made?.list === list) made = undefined
      })
    }
    return made!.list
  }
}

/**
 * One asking for all who wait for it. Nobody is given what was asked before they came, so that an answer is never
 * older than its question.
 */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = () => {
    next = undefined
    const asked = ask()
    running = asked
    const end = () => {
      if (running === asked) running = undefined
    }
    asked.then(end, end)
    return asked
  }
  return () => (running ? (next ??= running.then(start, start)) : start())
}

/** More askers than this in so many milliseconds are a rush. */
const rush = { ms: 5, askers: 8 }

/** Lets those who ask in a rush share what the first of them were told, and asks for all others. */
function rushOf({ ms, askers }: typeof rush) {
  let since = -Infinity
  let came = 0
  let told: string | undefined
  const forget = () => {
    since = -Infinity
    told = undefined
  }
  return {
    forget,
    ask: (ask: () => Promise<string>) => async (): Promise<string> => {
      const now = performance.now()
      if (now - since > ms) {
        since = now
        came = 0
        told = undefined
      }
      came += 1
      if (told !== undefined && came > askers) return told
      const mine = since
      const answer = await ask()
      // What was asked before a change was announced is not kept past it.
      if (since === mine) told = answer
      return answer
    },
  }
}

function build(rows: Teaching[]): Catalogue {
  const plain = Buffer.from(JSON.stringify(rows))
  let index: TeachingIndex<Teaching> | undefined
  return {
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 27),
    body: compressedBody(plain),
    index: () => (index ??= buildTeachingIndex(rows)),
  }
}
