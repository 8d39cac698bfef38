import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'

const arrivals = lazyStore<ReadonlySet<string> | undefined>(undefined, (set) =>
  import('./whats-new-device.ts').then(({ watchArrivals }) => watchArrivals(set)),
)

/** The uids of the teachings that are new since the visit before this one; undefined until they are known. */
export const useArrivals = (): ReadonlySet<string> | undefined => useLazyStore(arrivals)
