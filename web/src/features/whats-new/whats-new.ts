import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'

const whatsNew = lazyStore<ReadonlySet<string> | undefined>(undefined, (set) =>
  import('./whats-new.device.ts').then(({ watchWhatsNew }) => watchWhatsNew(set)),
)

/** The uids of teachings that are new since the previous session; undefined until they are read. */
export const useWhatsNew = (): ReadonlySet<string> | undefined => useLazyStore(whatsNew)
