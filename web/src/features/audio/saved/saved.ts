import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import type { SavedRecording } from '@fellowship/sync/client/database'
import { useEffect, useSyncExternalStore } from 'react'
import { whenIdle } from '../../../boot/when-idle.ts'
import type { SavedShelf } from './device-state.ts'

let shelf: SavedShelf = { status: 'unknown', byKey: new Map(), newest: 0 }
let started: Promise<void> | undefined
const listeners = new Set<() => void>()

const put = (next: SavedShelf) => {
  shelf = next
  for (const listener of listeners) listener()
}

/** Resolves when it is known what is saved; the database is opened at the first call. */
export function savedKnown(): Promise<void> {
  started ??= import('./saved-device.ts').then(
    ({ watchSaved }) => watchSaved(put),
    () => put({ ...shelf, status: 'unavailable' }),
  )
  return started
}

export const savedShelf = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  snapshot: () => shelf,
}

/** The recording of an address as it stands on this device. */
export function savedOf(audioUrl: string | null, from: SavedShelf = shelf): SavedRecording | undefined {
  const key = audioKeyOf(audioUrl)
  return key === undefined ? undefined : from.byKey.get(key)
}

/** What is saved, as it changes; asked for once the page is drawn. */
export function useSavedShelf(): SavedShelf {
  useEffect(() => whenIdle(() => void savedKnown()), [])
  return useSyncExternalStore(savedShelf.subscribe, savedShelf.snapshot, savedShelf.snapshot)
}
