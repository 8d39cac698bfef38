import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'

/** What this device holds. */
export interface SavedShelf {
  /** unavailable: this browser keeps nothing for the site, as some private windows do. */
  status: 'unknown' | 'known' | 'unavailable'
  byKey: ReadonlyMap<string, SavedRecording>
  /** So many of the newest are kept as they appear; 0 for none. */
  newest: number
}
