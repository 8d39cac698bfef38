type TrackKey = 'nexttrack' | 'previoustrack'

/** Which of them are set: one that never was need not be removed. */
const set = new Set<string>()

/**
 * Sets or removes previous and next on the lock screen, the headset and in the car. Where they are set they are set again:
 * WebKit forgets them whenever playback starts.
 */
export function setTrackKeys(keys: Record<TrackKey, (() => void) | null>): void {
  const session = navigator.mediaSession as MediaSession | undefined
  for (const [action, handler] of Object.entries(keys)) {
    if (!handler && !set.delete(action)) continue
    if (handler) set.add(action)
    try {
      session?.setActionHandler(action as TrackKey, handler)
    } catch {
      // An action this browser does not know.
    }
  }
}
