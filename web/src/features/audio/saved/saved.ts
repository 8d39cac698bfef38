import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { lazyStore, useLazyStore } from '../../../lib/lazy-store.ts'
import type { SavedShelf } from './device-state.list.ts'

const unknown: SavedShelf = { status: 'unknown', byKey: new Map(), newest: 0 }

export const savedShelf = lazyStore(unknown, async (set) => {
  // What a page saves is of no use without a worker that opens it offline, as in the windows of other apps.
  if (import.meta.env.PROD && !('serviceWorker' in navigator))
    return set({ ...unknown, status: 'unavailable' })
  return import('./saved.device.ts').then(
    ({ watchSaved }) => watchSaved(set),
    () => set({ ...unknown, status: 'unavailable' }),
  )
})

/** Resolves when the saved recordings are read; the first call opens the database. */
export const savedKnown = savedShelf.ready

/** The saved recording of an address, if this device has one. */
export function savedOf(
  audioUrl: string | null,
  from: SavedShelf = savedShelf.snapshot(),
): SavedRecording | undefined {
  const key = audioKeyOf(audioUrl)
  return key === undefined ? undefined : from.byKey.get(key)
}

/** The recording of an address if all of it is on this device: saved, or held since it was played. */
export function wholeOf(
  audioUrl: string | null,
  from: SavedShelf = savedShelf.snapshot(),
): SavedRecording | undefined {
  const saved = savedOf(audioUrl, from)
  return saved?.state === 'ready' ? saved : from.held?.get(audioKeyOf(audioUrl) ?? '')
}

export const useSavedShelf = (): SavedShelf => useLazyStore(savedShelf)
