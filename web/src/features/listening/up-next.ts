import type { UpNext } from '@fellowship/sync/client/listening/up-next.store'
import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'

const upNext = lazyStore<UpNext | undefined>(undefined, (set) =>
  import('./queue.device.ts').then(({ watchUpNext }) => watchUpNext(set)),
)

/** The present list; undefined until it is read. */
export const upNextNow = upNext.snapshot

export const onUpNext = upNext.subscribe

/** Reads the list and watches it; resolves when it is read. */
export const upNextKnown = upNext.ready

/** The list as it changes; undefined until it is read. */
export const useUpNext = (): UpNext | undefined => useLazyStore(upNext)
