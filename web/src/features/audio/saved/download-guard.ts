import { downloadTimings } from './download.timings.ts'

const lastClicks = new Map<string, number>()

/** SPEC §4: a click within 5 s of the previous one on the same recording is ignored. Times in milliseconds. */
export function mayDownload(uid: string, now: number = Date.now()): boolean {
  const last = lastClicks.get(uid)
  if (last !== undefined && now - last < downloadTimings.debounceMs) return false
  lastClicks.set(uid, now)
  return true
}
