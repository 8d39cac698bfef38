import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { prefersSmall } from '../../lib/comfort.ts'
import type { SavedShelf } from './saved/device-state.ts'
import { savedOf, savedShelf } from './saved/saved.ts'

/**
 * A teaching with the recording that this device plays and saves: the one that is saved already, else the small one where
 * the user wants that and there is one. The other members stay those of the library.
 */
export function chosenRecording(
  teaching: Teaching,
  shelf: SavedShelf = savedShelf.snapshot(),
  small: boolean = prefersSmall(),
): Teaching {
  const withCopy = smallOf(teaching)
  if (!withCopy) return teaching
  const saved = [teaching, withCopy].filter(({ audioUrl }) => savedOf(audioUrl, shelf))
  const ready = saved.find(({ audioUrl }) => savedOf(audioUrl, shelf)?.state === 'ready')
  return ready ?? saved[0] ?? (small ? withCopy : teaching)
}

/** Both recordings of a teaching, and which of them is saved, on its way, or would be saved by one press. */
export interface RecordingSizes {
  readonly original: Teaching
  readonly small: Teaching
  readonly current: 'small' | 'original'
  /** The one that is on its way while the other one is saved already. */
  readonly coming: SavedRecording | undefined
}

/** Undefined where a teaching has one recording. */
export function recordingSizes(
  teaching: Teaching,
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

/** The teaching with its small copy as its recording. */
function smallOf(teaching: Teaching): Teaching | undefined {
  const { copyUrl, copyBytes, copyMime } = teaching
  if (!copyUrl || !copyBytes) return undefined
  return { ...teaching, audioUrl: copyUrl, audioBytes: copyBytes, audioMime: copyMime }
}
