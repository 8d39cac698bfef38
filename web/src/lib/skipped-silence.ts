import { readStored, store } from './site-storage.ts'

const place = 'skipped-silence'

/** Seconds of silence that this device has left out. */
export const skippedSeconds = (): number => Math.max(0, Number(readStored(place))) || 0

export const noteSkipped = (seconds: number): void =>
  store(place, Math.round((skippedSeconds() + seconds) * 10) / 10)
