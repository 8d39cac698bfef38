import { slotBefore } from '@fellowship/schema/backup/weekly-slot'
import { pushKeptDays, pushTimes, pushWeekTime } from '@fellowship/schema/push/push.limits'
import { pushMessage } from '@fellowship/schema/push/push-message'
import type { PushEvery } from '@fellowship/schema/push/push.schema'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/connection.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { addDeliveries, claimWeek, forgetNews, markTold, newsOfWeek, untoldNews } from './push.sql.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** A teaching whose recording comes later than this is no news. */
const newsDays = 30

/**
 * Writes messages about new teachings, once it is quiet, and the message of the week when it is due.
 *
 * @returns how many devices will be sent one
 */
export async function writeMessages({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const now = clock.now()
  return sql.begin(async (tx) => (await tellEach(tx, now)) + (await tellWeek(tx, now)))
}

async function tellEach(tx: Transaction, now: Date): Promise<number> {
  const news = await untoldNews(tx)
  const [oldest, newest] = [news[0], news.at(-1)]
  if (!oldest || !newest) return 0
  const minutesSince = (then: Date) => (now.getTime() - then.getTime()) / minuteMs
  const isQuiet = minutesSince(newest.addedAt) >= pushTimes.quietMinutes
  if (!isQuiet && minutesSince(oldest.addedAt) < pushTimes.mostMinutes) return 0
  const uids = news.map(({ teaching }) => teaching)
  await markTold(tx, uids)
  return tell(tx, 'teaching', uids, now)
}

async function tellWeek(tx: Transaction, now: Date): Promise<number> {
  if (!(await claimWeek(tx, slotBefore(now, pushWeekTime), now))) return 0
  const uids = await newsOfWeek(tx)
  const count = await tell(tx, 'week', uids, now)
  await forgetNews(tx, new Date(now.getTime() - newsDays * dayMs))
  return count
}

async function tell(tx: Transaction, every: PushEvery, uids: readonly string[], now: Date): Promise<number> {
  const teachings = await liveTeachings(tx, uids)
  if (teachings.length === 0) return 0
  const expiresAt = new Date(now.getTime() + pushKeptDays[every] * dayMs)
  return addDeliveries(tx, every, pushMessage(teachings), { now, expiresAt })
}
