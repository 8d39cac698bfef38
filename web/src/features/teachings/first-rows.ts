import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { readNewestTeachings } from '@fellowship/sync/client/replica/teachings.store'

/** The first screen needs five rows, not ten thousand. */
const count = 20

let asked: Promise<Teaching[] | undefined> | undefined

/** Begins to read the newest teachings of the device before anybody draws them. */
export function askFirstRows(): void {
  asked ??= readNewestTeachings(count).catch(() => undefined)
}

/** The newest teachings of the device; undefined where it has none yet, or cannot be read. */
export function takeFirstRows(): Promise<Teaching[] | undefined> {
  askFirstRows()
  const taken = asked!
  // The next one to ask wants those of then.
  asked = undefined
  return taken
}
