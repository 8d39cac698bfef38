import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'

export interface SavedShelf {
  /** unavailable: this browser has no storage, as in some private windows. */
  status: 'unknown' | 'known' | 'unavailable'
  byKey: ReadonlyMap<string, SavedRecording>
  /** The others that are whole on this device, since they were played. */
  held?: ReadonlyMap<string, SavedRecording>
  /** How many of the newest are saved automatically; 0 for none. */
  newest: number
}

/** How many recordings are whole on this device. */
export const savedCount = ({ byKey }: Pick<SavedShelf, 'byKey'>): number =>
  [...byKey.values()].filter(({ state }) => state === 'ready').length

/**
 * The recordings as they are shown: on a full device nothing is downloaded, so every pending one waits for room.
 *
 * @param isFull whether a download found the device full and could not mark its recording
 */
export function withRoom(recordings: readonly SavedRecording[], isFull: boolean): readonly SavedRecording[] {
  if (!isFull && !recordings.some(({ problem }) => problem === 'device full')) return recordings
  return recordings.map((recording) =>
    recording.state === 'waiting' ? { ...recording, problem: 'device full' } : recording,
  )
}
