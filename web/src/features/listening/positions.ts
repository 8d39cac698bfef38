import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'
import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'
import type { Positions } from './positions-state.ts'

const positions = lazyStore<Positions | undefined>(undefined, (set) =>
  import('./positions.device.ts').then(
    ({ watchPositions }) => watchPositions(set),
    () => set(new Map()),
  ),
)

/** Resolves when the positions are read; the first call opens the database. */
export const positionsKnown = positions.ready

export const positionsNow = positions.snapshot

/** Saves a moment of listening; if the device cannot save it, playback continues. */
export function note(uid: string, moment: ListeningMoment): void {
  void import('./positions.device.ts').then((device) => device.note(uid, moment)).catch(() => undefined)
}

/** The positions as they change; undefined until they are read. */
export const usePositions = (): Positions | undefined => useLazyStore(positions)
