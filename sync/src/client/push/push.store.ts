import type { PushEvery } from '@fellowship/schema/push/push.schema'
import type { AppDatabase } from '../database/app-database.ts'

/** The notifications of new teachings that were chosen on this device. */
export interface PushWish {
  every: PushEvery
  /** Of the subscription that the server has. */
  endpoint: string
  /** The server's, which the subscription was made for. */
  publicKey: string
  /** When the server last took it, epoch milliseconds. */
  checkedAt: number
}

const key = 'push'

/** Undefined if notifications are off. For live queries. */
export async function readPushWish(db: AppDatabase): Promise<PushWish | undefined> {
  return (await db.meta.get(key))?.value as PushWish | undefined
}

/** @param wish undefined if notifications are turned off */
export async function writePushWish(db: AppDatabase, wish: PushWish | undefined): Promise<void> {
  await (wish ? db.meta.put({ key, value: wish }) : db.meta.delete(key))
}
