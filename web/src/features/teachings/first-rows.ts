import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { readNewestTeachings } from '@fellowship/sync/client/replica/teachings.store'

/** Enough for the first screen. */
const count = 20

let reading: Promise<Teaching[] | undefined> | undefined

/** Starts reading the newest teachings of the replica, before the library renders. */
export function preloadFirstRows(): void {
  reading ??= readNewestTeachings(count).catch(() => undefined)
}

/** The newest teachings of the replica; undefined if it is empty or unreadable. */
export function takeFirstRows(): Promise<Teaching[] | undefined> {
  preloadFirstRows()
  const rows = reading!
  // The next call reads again.
  reading = undefined
  return rows
}
