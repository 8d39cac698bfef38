import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { SyncPage } from '@fellowship/schema/sync/sync.schema'
import { fromColumns } from '@fellowship/sync/protocol/columns'
import { decodeCursor } from '@fellowship/sync/protocol/cursor'
import { readPage } from '@fellowship/sync/server/change-feed'
import { seededRandom, type Random } from '@fellowship/sync/testing/random'
import { parseEnv } from '../../config/config.ts'
import { testDatabase } from '../../testing/test-db.ts'
import { feedOf, readClock } from './sync.ts'

const { sql } = await testDatabase({ max: 24 })
const writers = 16
const rounds = 2
const perRound = Number(process.env['SYNC_TRANSACTIONS'] ?? 400)

describe.each(Array.from({ length: rounds }, (_, round) => round))('round %i', (round) => {
  test(`concurrent writers (${writers}) lose, tear and deadlock nothing`, { timeout: 0 }, async () => {
    await sql`delete from elders`
    const readers = [0, 1, 2].map((at) => new Reader(seededRandom(round * 10 + at)))
    let writing = true
    const reading = readers.map(async (reader) => {
      while (writing) await reader.pull()
      await reader.pull()
    })
    const committed: Committed[] = []
    const outcomes = await Promise.all(
      Array.from({ length: writers }, (_, at) =>
        write(seededRandom(round * 100 + at), perRound / writers, committed),
      ),
    )
    writing = false
    await Promise.all(reading)

    expect(outcomes.flat(), 'errors of writers, a deadlock among them').toEqual([])
    committed.sort((a, b) => a.rev - b.rev)
    for (const reader of readers) expect(tornPages(reader.pages, committed)).toEqual([])
    const truth = await sql<{ uid: string; rev: number; name: string }[]>`select uid, rev, name from elders`
    const expected = truth.map(({ uid, rev, name }) => `${uid} ${rev} ${name}`).sort()
    expect(expected.length).toBeGreaterThan(5)
    for (const reader of readers) {
      expect(reader.state()).toEqual(expected)
      expect(reader.pulls).toBeGreaterThan(10)
    }
  })
})

// The control: if the cursor is a sequence, rows must be lost, or the test above proves nothing.
test('a cursor from a sequence would lose rows', { timeout: 60_000 }, async () => {
  await sql`create table control (seq bigserial primary key, writer int)`
  const seen = new Set<number>()
  let cursor = 0
  const pull = async () => {
    const news = await sql<{ seq: number }[]>`select seq from control where seq > ${cursor} order by seq`
    for (const { seq } of news) {
      seen.add(seq)
      cursor = seq
    }
  }
  // Begins first and commits last, so that at least one row is overtaken on any machine.
  await sql.begin(async (slow) => {
    await slow`insert into control (writer) values (-1)`
    await sql`insert into control (writer) values (-2)`
    await pull()
  })
  let writing = true
  const reader = (async () => {
    while (writing) {
      await pull()
      await sleep(1)
    }
    await pull()
  })()
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const random = seededRandom(writer)
      for (let at = 0; at < 30; at += 1) {
        await sql.begin(async (tx) => {
          await tx`insert into control (writer) values (${writer})`
          await sleep(random.int(8))
        })
      }
    }),
  )
  writing = false
  await reader
  const rows = await sql<{ seq: number }[]>`select seq from control order by seq`
  expect(rows).toHaveLength(writers * 30 + 2)
  expect(cursor).toBe(rows.at(-1)!.seq)
  expect(seen.size).toBeLessThan(rows.length)
})

/** The writes of a transaction: names by uid, undefined for deleted rows. */
interface Committed {
  rev: number
  names: ReadonlyMap<string, string | undefined>
}

/** The rows of a reader after a page. */
interface PageRead {
  /** Of its cursor. */
  rev: number
  /** Of the server when it was read: later changes are still to come, or came with an earlier page. */
  head: number
  names: ReadonlyMap<string, string>
}

/**
 * The pages after which a reader did not have each transaction up to its cursor whole, and nothing of any later one: rows
 * that changed again before the page was read come with their later revision, and are left out.
 *
 * @param committed by revision
 */
function tornPages(pages: readonly PageRead[], committed: readonly Committed[]): string[] {
  const names = new Map<string, string>()
  let next = 0
  return pages
    .toSorted((a, b) => a.rev - b.rev)
    .flatMap((page) => {
      for (; committed[next] && committed[next]!.rev <= page.rev; next += 1)
        for (const [uid, name] of committed[next]!.names) {
          if (name === undefined) names.delete(uid)
          else names.set(uid, name)
        }
      const later = new Set<string>()
      for (let at = next; committed[at] && committed[at]!.rev <= page.head; at += 1)
        for (const uid of committed[at]!.names.keys()) later.add(uid)
      const differing = [...new Set([...names.keys(), ...page.names.keys()])].filter(
        (uid) => !later.has(uid) && names.get(uid) !== page.names.get(uid),
      )
      return differing.length > 0 ? [`at revision ${page.rev}: ${differing.join(', ')}`] : []
    })
}

/** Runs random transactions, each of which writes one name into all its rows, and records the commits. Returns the errors. */
async function write(random: Random, transactions: number, committed: Committed[]): Promise<string[]> {
  const errors: string[] = []
  for (let at = 0; at < transactions; at += 1) {
    const name = `t${random.int(1_000_000_000)}`
    const isAborted = random.chance(0.1)
    const names = new Map<string, string | undefined>()
    let rev = 0
    try {
      await sql.begin(async (tx) => {
        for (let writes = 1 + random.int(3); writes > 0; writes -= 1) {
          const uid = `00000000-0000-4000-8000-${String(random.int(40)).padStart(12, '0')}`
          if (random.chance(0.2)) {
            const { count } = await tx`delete from elders where uid = ${uid}`
            if (count > 0) names.set(uid, undefined)
          } else {
            await tx`insert into elders (uid, name, role, short_bio, extended_bio) values (${uid}, ${name}, 'Elder', '', '')
              on conflict (uid) do update set name = excluded.name`
            names.set(uid, name)
          }
          if (random.chance(0.3)) await sleep(random.int(3))
        }
        if (isAborted) throw new Aborted()
        rev = (await readClock(tx)).rev
      })
      if (names.size > 0) committed.push({ rev, names })
    } catch (error) {
      if (!(error instanceof Aborted)) errors.push((error as Error).message)
    }
  }
  return errors
}

class Aborted extends Error {}

/** A minimal device that applies pages to a map of rows. */
class Reader {
  readonly #random: Random
  readonly #rows = new Map<string, { rev: number; name: string }>()
  #cursor: string | undefined
  pulls = 0
  readonly pages: PageRead[] = []

  constructor(random: Random) {
    this.#random = random
  }

  async pull(): Promise<void> {
    this.pulls += 1
    let page: SyncPage
    do {
      page = await readPage(
        feedOf({ sql, config: parseEnv({}) }),
        { since: this.#cursor, limit: 1 + this.#random.int(20) },
        new Date(),
      )
      this.#apply(page)
      this.#cursor = page.next
      const names = new Map([...this.#rows].map(([uid, { name }]) => [uid, name]))
      this.pages.push({ rev: decodeCursor(page.next)!.rev, head: page.head.rev, names })
    } while (page.more)
    await sleep(this.#random.int(10))
  }

  state(): string[] {
    return [...this.#rows].map(([uid, { rev, name }]) => `${uid} ${rev} ${name}`).sort()
  }

  #apply(page: SyncPage): void {
    if (page.mode === 'snapshot') {
      this.#rows.clear()
      for (const row of fromColumns(page.tables['elder']!)) this.#put(row)
      return
    }
    for (const change of page.changes) {
      if (change.op === 'del') this.#rows.delete(change.uid)
      else this.#put(change.row)
    }
  }

  #put(row: Record<string, unknown>): void {
    this.#rows.set(row['uid'] as string, { rev: row['rev'] as number, name: row['name'] as string })
  }
}
