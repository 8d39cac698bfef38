import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { changeUpNext, upNextOrder, type UpNextAction, type UpNextEntry } from '../../protocol/up-next.ts'
import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { markUnsent, playedKey } from './listening-accounts.ts'

/** The teachings after the open one, and those that played before it. */
export interface UpNext {
  /** First to last, without those that have left the library. */
  teachings: readonly Teaching[]
  /** The last one first, without those that have left the library. */
  playedBefore: readonly Teaching[]
}

/** For live queries. */
export async function readUpNext(db: AppDatabase = appDatabase()): Promise<UpNext> {
  return db.transaction('r', db.upNext, db.teachings, db.meta, async () => {
    const inLibrary = async (uids: readonly string[]) =>
      (await db.teachings.bulkGet([...uids])).filter(
        (teaching): teaching is Teaching => typeof teaching?.audioUrl === 'string',
      )
    return {
      teachings: await inLibrary(upNextOrder(await db.upNext.toArray())),
      playedBefore: (await inLibrary(await readPlayed(db))).toReversed(),
    }
  })
}

/**
 * Changes the list; two tabs at once change it one after the other.
 *
 * @param now epoch milliseconds
 * @returns the entries that were added or changed
 */
export async function writeUpNext(
  action: UpNextAction,
  now: number = Date.now(),
  db: AppDatabase = appDatabase(),
): Promise<readonly UpNextEntry[]> {
  return db.transaction('rw', [db.upNext, ...db.unsentTables], async () => {
    const changed = changeUpNext(await db.upNext.toArray(), action, now)
    await db.upNext.bulkPut([...changed])
    await markUnsent(db, 'upNext', changed.map(markOf), { at: now })
    return changed
  })
}

/** Notes that a teaching gave way to the next one. */
export function notePlayed(uid: string, db: AppDatabase = appDatabase()): Promise<void> {
  return changePlayed((uids) => [...uids, uid].slice(-playedKept), db)
}

/** Forgets the last one, as it plays again. */
export function forgetPlayed(uid: string, db: AppDatabase = appDatabase()): Promise<void> {
  return changePlayed((uids) => uids.toSpliced(uids.lastIndexOf(uid), uids.includes(uid) ? 1 : 0), db)
}

/** The entry as it is marked unsent. */
export const markOf = ({ uid, changedAt }: UpNextEntry) => ({ key: uid, moment: changedAt })

const playedKept = 50

async function changePlayed(
  change: (uids: readonly string[]) => readonly string[],
  db: AppDatabase,
): Promise<void> {
  await db.transaction('rw', db.meta, async () => {
    await db.meta.put({ key: playedKey, value: change(await readPlayed(db)) })
  })
}

/** The last one last. */
async function readPlayed(db: AppDatabase): Promise<readonly string[]> {
  const row = await db.meta.get(playedKey)
  return Array.isArray(row?.value) ? (row.value as string[]) : []
}
