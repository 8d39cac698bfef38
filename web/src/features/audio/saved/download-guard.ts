const lastClicks = new Map<string, number>()

/** False if the previous click on the same recording is too recent. `now`: epoch milliseconds. */
export function mayDownload(uid: string, now: number = Date.now()): boolean {
  const last = lastClicks.get(uid)
  if (last !== undefined && now - last < downloadTimings.debounceMs) return false
  lastClicks.set(uid, now)
  return true
}

/** Milliseconds: the button ignores a second click within 5 s, and is locked for 2 s. */
export const downloadTimings = { debounceMs: 5_000, lockMs: 2_000 } as const
