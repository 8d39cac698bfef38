import {
  addNewTeachings,
  afterPageView,
  type Sessions,
  type WhatsNew,
} from '@fellowship/schema/whats-new/whats-new'
import type { AppDatabase } from '../database/app-database.ts'

/** New teachings of this device and its page views; members are undefined before the first. */
export interface StoredWhatsNew {
  whatsNew: WhatsNew | undefined
  sessions: Sessions | undefined
}

// The keys that earlier clients wrote.
const whatsNewKey = 'arrivals'
const sessionsKey = 'visits'

/** For live queries. */
export async function readWhatsNew(db: AppDatabase): Promise<StoredWhatsNew> {
  const [whatsNew, sessions] = await db.meta.bulkGet([whatsNewKey, sessionsKey])
  return {
    whatsNew: whatsNew?.value as WhatsNew | undefined,
    sessions: sessions?.value as Sessions | undefined,
  }
}

/** Call it inside the transaction that writes the rows. */
export async function recordNewTeachings(
  db: AppDatabase,
  change: { came: readonly string[]; left: readonly string[] },
): Promise<void> {
  if (change.came.length === 0 && change.left.length === 0) return
  const { whatsNew } = await readWhatsNew(db)
  await db.meta.put({ key: whatsNewKey, value: addNewTeachings(whatsNew, change) })
}

/**
 * Records a view of the site, in any tab.
 *
 * @param now epoch milliseconds
 */
export async function recordPageView(now: number, db: AppDatabase): Promise<void> {
  await db.transaction('rw', db.meta, async () => {
    const { whatsNew, sessions } = await readWhatsNew(db)
    await db.meta.put({ key: sessionsKey, value: afterPageView(sessions, whatsNew?.newest ?? 0, now) })
  })
}
