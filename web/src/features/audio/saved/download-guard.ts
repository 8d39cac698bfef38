import { downloadTimings } from './download.timings.ts'

const lastClicks = new Map<string, number>()

/** False if the previous click on the same recording is too recent. `now`: epoch milliseconds. */
export function mayDownload(uid: string, now: number = Date.now()): boolean {
  const last = lastClicks.get(uid)
  if (last !== undefined && now - last < downloadTimings.debounceMs) return false
  lastClicks.set(uid, now)
  return true
}
