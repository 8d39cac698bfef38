import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '@fellowship/api/db/database'
import { readClock, syncPages } from '@fellowship/api/features/sync/sync'
import { columnsOf } from '@fellowship/api/features/teachings/teachings'
import type { Database } from '@fellowship/api/db/connection'
import { systemClock } from '@fellowship/api/machine/clock'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { manyTeachings } from '@fellowship/schema/testing/builders'
import { seededRandom, type Random } from '@fellowship/schema/testing/random'
import { encodeCursor } from '@fellowship/sync/protocol/cursor'
import type { Area } from '../area.ts'

const devices = Number(process.env['SUNDAY_DEVICES'] ?? 1_000_000)
const teachings = 2_000
/** Changes of the library that devices may lag behind by: uploads and edits of some years. */
const changes = 200
const atOnce = 32

/**
 * A recording is uploaded on Sunday, and a million devices ask the change feed for it, each from where it was: 70 in 100 had
 * everything, 20 lack up to ten changes, 9 up to two hundred, and one is new. The product's own change feed answers, from its
 * own database; only HTTP is left out.
 */
export const sunday: Area = {
  name: 'sunday',
  needs: [],
  async run({ report, onEnd }) {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-sunday-'))
    await chmod(dataDir, 0o755)
    onEnd(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
    const options = { applicationName: 'bench' }
    const database = await openDatabase({ databaseUrl: undefined, dataDir }, options)
    onEnd(() => database.close())
    const { sql } = database
    const cursors = await history(sql)
    let reads = 0
    const page = syncPages({ sql, clock: systemClock })
    const random = seededRandom(1)
    let next = 0
    let bytes = 0
    const device = async () => {
      while (next < devices) {
        next += 1
        const since = cursorOf(cursors, random)
        const { body } = await page({ since }, await readClock(sql), 'br', () => {
          // The snapshot is told of each time, also where it is kept.
          if (since !== undefined) reads += 1
        })
        bytes += body.length
      }
    }
    const began = performance.now()
    await Promise.all(Array.from({ length: atOnce }, device))
    const seconds = (performance.now() - began) / 1000
    const nothing = { yardstick: '–', ratio: '–', target: '–', met: true }
    report({
      ...nothing,
      work: `a Sunday's upload, asked for by ${devices.toLocaleString('en')} devices`,
      product: `${(devices / seconds).toFixed(0)} pulls/s (${seconds.toFixed(0)} s in all, ${(bytes / devices).toFixed(0)} bytes each)`,
    })
    report({
      ...nothing,
      work: 'the same: pages that were read from the database, and not kept from a device before',
      product: `${reads.toLocaleString('en')}`,
      target: `≤ ${changes + 1}, one a revision`,
      met: reads <= changes + 1,
    })
  },
}

/** Fills the library and changes it; the cursors of devices that saw it after each change, the newest first. */
async function history(sql: Database): Promise<string[]> {
  const rows = manyTeachings(teachings + 1).map((row) => columnsOf(textOf(row)))
  const [upload, ...earlier] = rows
  for (let at = 0; at < earlier.length; at += 500) {
    await sql`insert into teachings ${sql(earlier.slice(at, at + 500))}`
  }
  const ids = await sql<{ id: number }[]>`select id from teachings order by id limit ${changes}`
  const cursors = [encodeCursor(await readClock(sql))]
  for (const { id } of ids) {
    await sql`update teachings set speaker = speaker || '.' where id = ${id}`
    cursors.unshift(encodeCursor(await readClock(sql)))
  }
  await sql`insert into teachings ${sql([upload!])}`
  return cursors
}

/** Where a device was; undefined for a new one. */
function cursorOf(cursors: readonly string[], random: Random): string | undefined {
  const turn = random.whole(100)
  if (turn < 70) return cursors[0]
  if (turn < 90) return cursors[1 + random.whole(10)]
  return turn < 99 ? cursors[1 + random.whole(changes)] : undefined
}
