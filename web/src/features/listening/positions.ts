import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'
import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'
import type { Positions } from './positions-state.ts'

const positions = lazyStore<Positions | undefined>(undefined, (set) =>
  import('./positions.device.ts').then(
    ({ watchPositions }) => watchPositions(set),
    () => set(new Map()),
  ),
)

/** Resolves when the positions are known; the database is opened at the first call. */
export const positionsKnown = positions.ready

export const positionsNow = positions.snapshot

/** Saves a moment of listening; a device that cannot save it plays on all the same. */
export function note(uid: string, moment: ListeningMoment): void {
  void import('./positions.device.ts').then((device) => device.note(uid, moment)).catch(() => undefined)
}

/** The positions as they change; undefined until they are known. */
export const usePositions = (): Positions | undefined => useLazyStore(positions)
