/** Sets or removes previous and next on the lock screen, the headset and in the car. */
export function setTrackKeys(keys: Record<'nexttrack' | 'previoustrack', (() => void) | null>): void {
  const session = navigator.mediaSession as MediaSession | undefined
  for (const [action, handler] of Object.entries(keys)) {
    try {
      session?.setActionHandler(action as MediaSessionAction, handler)
    } catch {
      // An action this browser does not know.
    }
  }
}
