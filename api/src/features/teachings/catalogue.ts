import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { buildTeachingIndex, type TeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { liveTeachings } from './teachings.sql.ts'

/** The list of one revision: its bytes as they go out, and the index that searches it. */
export interface Catalogue {
  readonly etag: string
  readonly plain: Buffer
  /** Compressed when first asked for, then kept. */
  readonly gzip: () => Promise<Buffer>
  readonly brotli: () => Promise<Buffer>
  readonly index: () => TeachingIndex<Teaching>
}

/**
 * The whole list, made once per revision of the database. Who asks the clock first sees every write of every
 * process, so the next answer after a change is the new list.
 */
export function catalogue({ sql }: Pick<Context, 'sql'>): () => Promise<Catalogue> {
  let made: { key: string; list: Promise<Catalogue> } | undefined
  const currentKey = shared(async () => {
    const [clock] = await sql<{ key: string }[]>`select epoch || '.' || rev as key from sync_clock`
    return clock!.key
  })
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

function build(rows: Teaching[]): Catalogue {
  const plain = Buffer.from(JSON.stringify(rows))
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  return {
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 27),
    plain,
    gzip: once(() => promisify(gzip)(plain)),
    brotli: once(() => promisify(brotliCompress)(plain, { params: quality })),
    index: once(() => buildTeachingIndex(rows)),
  }
}

function once<T>(work: () => T): () => T {
  let done: { value: T } | undefined
  return () => (done ??= { value: work() }).value
}
