import { arrive, look, type Arrivals, type Visits } from '@fellowship/schema/whats-new/whats-new'
import type { AppDatabase } from '../database/app-database.ts'

/** What came to this device, and when it was looked at; members are undefined before the first. */
export interface News {
  arrivals: Arrivals | undefined
  visits: Visits | undefined
}

const arrivalsKey = 'arrivals'
const visitsKey = 'visits'

/** For live queries. */
export async function readNews(db: AppDatabase): Promise<News> {
  const [arrivals, visits] = await db.meta.bulkGet([arrivalsKey, visitsKey])
  return {
    arrivals: arrivals?.value as Arrivals | undefined,
    visits: visits?.value as Visits | undefined,
  }
}

/** Call it inside the transaction that writes the rows. */
export async function noteArrivals(
  db: AppDatabase,
  change: { came: readonly string[]; left: readonly string[] },
): Promise<void> {
  if (change.came.length === 0 && change.left.length === 0) return
  const { arrivals } = await readNews(db)
  await db.meta.put({ key: arrivalsKey, value: arrive(arrivals, change) })
}

/**
 * Notes that somebody looks at the site, in whichever tab.
 *
 * @param now epoch milliseconds
 */
export async function noteLook(now: number, db: AppDatabase): Promise<void> {
  await db.transaction('rw', db.meta, async () => {
    const { arrivals, visits } = await readNews(db)
    await db.meta.put({ key: visitsKey, value: look(visits, arrivals?.newest ?? 0, now) })
  })
}
