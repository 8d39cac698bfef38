import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
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
  const { copyUrl, copyBytes, copyMime } = teaching
  if (!copyUrl || !copyBytes) return teaching
  const withCopy: Teaching = { ...teaching, audioUrl: copyUrl, audioBytes: copyBytes, audioMime: copyMime }
  const saved = [teaching, withCopy].filter(({ audioUrl }) => savedOf(audioUrl, shelf))
  const ready = saved.find(({ audioUrl }) => savedOf(audioUrl, shelf)?.state === 'ready')
  return ready ?? saved[0] ?? (small ? withCopy : teaching)
}
