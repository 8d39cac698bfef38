import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import type { SavableTeaching } from '@fellowship/sync/client/saved-audio/audio-store'
import { prefersSmall } from './data-choices.ts'
import type { SavedShelf } from './saved/device-state.list.ts'
import { savedOf, savedShelf, wholeOf } from './saved/saved.ts'

/**
 * The recording of a teaching that this device plays and saves: one that is whole on this device or being saved, else the small copy if the user
 * prefers small recordings and the teaching has one, else the original.
 */
export function chosenRecording(
  teaching: WithRecordings,
  shelf: SavedShelf = savedShelf.snapshot(),
  small: boolean = prefersSmall(),
): SavableTeaching {
  const copy = smallOf(teaching)
  if (!copy) return teaching
  const saved = [teaching, copy].filter(({ audioUrl }) => savedOf(audioUrl, shelf))
  const whole = [teaching, copy].find(({ audioUrl }) => wholeOf(audioUrl, shelf))
  return whole ?? saved[0] ?? (small ? copy : teaching)
}

/** A teaching as it is saved, with the small copy that it may have. */
type WithRecordings = SavableTeaching & Pick<Teaching, 'copyUrl' | 'copyBytes' | 'copyMime'>

/** The recording of a teaching at this address: the original or the small copy. */
export const recordingAt = (teaching: WithRecordings, audioUrl: string): SavableTeaching | undefined =>
  [teaching, smallOf(teaching)].find((recording) => recording?.audioUrl === audioUrl)

/** Both recordings of a teaching, and the one that is saved, is being saved, or would be saved by one press. */
export interface RecordingSizes {
  readonly original: SavableTeaching
  readonly small: SavableTeaching
  readonly current: 'small' | 'original'
  /** The recording that is being saved when the other one is already saved. */
  readonly coming: SavedRecording | undefined
}

/** Undefined if a teaching has one recording. */
export function recordingSizes(
  teaching: WithRecordings,
  shelf: SavedShelf,
  prefersSmallOnes: boolean,
): RecordingSizes | undefined {
  const small = smallOf(teaching)
  if (!small) return undefined
  const coming = [teaching, small]
    .map(({ audioUrl }) => savedOf(audioUrl, shelf))
    .find((saved) => saved?.replaces !== undefined && saved.state === 'waiting')
  const chosen = chosenRecording(teaching, shelf, prefersSmallOnes)
  const currentUrl = coming?.url ?? chosen.audioUrl
  return { original: teaching, small, coming, current: currentUrl === small.audioUrl ? 'small' : 'original' }
}

/** The teaching as it is saved with its small copy. */
function smallOf(teaching: WithRecordings): SavableTeaching | undefined {
  const { uid, title, speaker, date, copyUrl, copyBytes, copyMime } = teaching
  if (!copyUrl || !copyBytes) return undefined
  return { uid, title, speaker, date, audioUrl: copyUrl, audioBytes: copyBytes, audioMime: copyMime }
}
