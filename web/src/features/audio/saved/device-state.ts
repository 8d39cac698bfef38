import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'

export interface SavedShelf {
  /** unavailable: this browser has no storage, as in some private windows. */
  status: 'unknown' | 'known' | 'unavailable'
  byKey: ReadonlyMap<string, SavedRecording>
  /** How many of the newest are saved automatically; 0 for none. */
  newest: number
}
