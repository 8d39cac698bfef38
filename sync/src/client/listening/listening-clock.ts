import type { AppDatabase } from '../database/app-database.ts'

/**
 * Listening is stamped by the server's clock, as far as the device knows it: on a device whose own clock is slow, what is
 * heard now would otherwise pass for earlier than what was heard on another one.
 *
 * @param at epoch milliseconds of the device
 */
export async function stamped(db: AppDatabase, at: number): Promise<number> {
  return Math.max(0, at + ((await readBehind(db)) ?? 0))
}

/** By how many milliseconds the device's clock is behind the server's; undefined before it was compared. */
export async function readBehind(db: AppDatabase): Promise<number | undefined> {
  const row = await db.meta.get(behindKey)
  return typeof row?.value === 'number' ? row.value : undefined
}

/** Inside a transaction of the caller. */
export const writeBehind = (db: AppDatabase, behind: number): PromiseLike<unknown> =>
  db.meta.put({ key: behindKey, value: behind })

/** A request by the device's clock, and the time that the server gave in between. */
export interface ClockReading {
  sent: number
  received: number
  server: number
}

/**
 * By how much the device's clock is behind after a request. The answer may have been on its way for any part of the
 * request, so what is known stays where the request cannot tell it from the truth.
 */
export function measuredBehind(known: number | undefined, { sent, received, server }: ClockReading): number {
  const measured = Math.round(server - (sent + received) / 2)
  const doubt = Math.abs(received - sent) / 2 + 1_000
  return known !== undefined && Math.abs(measured - known) <= doubt ? known : measured
}

const behindKey = 'listeningClockBehind'
