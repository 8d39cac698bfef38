const place = 'skipped-silence'

/** Seconds of silence that this device has left out. */
export function skippedSeconds(): number {
  try {
    return Math.max(0, Number(localStorage.getItem(place))) || 0
  } catch {
    return 0
  }
}

export function noteSkipped(seconds: number): void {
  try {
    localStorage.setItem(place, String(Math.round((skippedSeconds() + seconds) * 10) / 10))
  } catch {
    // If storage is blocked, the sum is not shown.
  }
}
