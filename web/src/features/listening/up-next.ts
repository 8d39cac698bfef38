import type { UpNext } from '@fellowship/sync/client/listening/up-next.store'
import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'

const upNext = lazyStore<UpNext | undefined>(undefined, (set) =>
  import('./queue.device.ts').then(({ watchUpNext }) => watchUpNext(set)),
)

/** The list as it is now; undefined until it was read. */
export const upNextNow = upNext.snapshot

export const onUpNext = upNext.subscribe

/** Reads the list and follows it, in every tab; resolves when it is known. */
export const upNextKnown = upNext.ready

/** The list as it changes; undefined until it is known. */
export const useUpNext = (): UpNext | undefined => useLazyStore(upNext)
