import { appDatabase, type AppDatabase } from '../database/app-database.ts'
import { readAccount, readOwner, type ListeningAccount } from './listening-owner.ts'
import { countNobodys } from './listening-people.ts'

/** How the listening on this device stands with an account. */
export interface ListeningKeeping {
  /** Whose the device shows; 0: nobody's. */
  owner: number
  /** Of the person asked about; undefined where nothing is known of them here yet. */
  account: ListeningAccount | undefined
  /** Changes that wait to be sent. */
  unsent: number
  /** Changes that the server does not take, with its reasons. */
  refused: readonly string[]
  /** Rows that were made on this device without an account, while a person's are shown. */
  nobodys: number
}

/** For live queries. */
export async function readKeeping(
  userId: number | undefined,
  db: AppDatabase = appDatabase(),
): Promise<ListeningKeeping> {
  return db.transaction('r', [db.meta, db.unsentListening, db.keptListening], async () => {
    const owner = await readOwner(db)
    const marks = await db.unsentListening.toArray()
    return {
      owner,
      account: userId === undefined ? undefined : await readAccount(db, userId),
      unsent: marks.filter(({ refused }) => refused === undefined).length,
      refused: marks.flatMap(({ refused }) => refused ?? []),
      nobodys: owner === 0 ? 0 : await countNobodys(db),
    }
  })
}
