type TrackKey = 'nexttrack' | 'previoustrack'

/** The keys that are set; others need not be removed. */
const set = new Set<string>()

/**
 * Sets or removes previous and next on the lock screen, the headset and in the car. Sets them again even if they are
 * set, as WebKit drops them when playback starts.
 */
export function setTrackKeys(keys: Record<TrackKey, (() => void) | null>): void {
  const session = navigator.mediaSession as MediaSession | undefined
  for (const [action, handler] of Object.entries(keys)) {
    if (!handler && !set.delete(action)) continue
    if (handler) set.add(action)
    try {
      session?.setActionHandler(action as TrackKey, handler)
    } catch {
      // The browser does not support this action.
    }
  }
}
