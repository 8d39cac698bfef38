import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { inShownOrder, readElders } from '@fellowship/sync/client/replica/public.store'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { watchReplicated } from '../../lib/watch-replicated.ts'

/** Watches the elders, from the replica first. */
export const watchElders = (onChange: (elders: Elders) => void): (() => void) =>
  watchReplicated({
    kind: 'elder',
    read: () => readElders(),
    inOrder: inShownOrder,
    // Refetched at every mount, even if the replica is fresh.
    freshMs: 0,
    onRows: (rows) => onChange({ status: 'ready', rows }),
    onFailure: () => onChange({ status: 'failed', sentence: elderTexts.fetchFailed }),
  })

/** Pulls from the server now. The elders stay on the screen during the pull, and if it fails. */
export const refreshElders = (): void =>
  void syncSession()
    .pull()
    .catch(() => undefined)

/** The elders as a screen shows them: loading, their rows, or the reason why there are none. */
export type Elders =
  | { status: 'loading' }
  | { status: 'ready'; rows: readonly Elder[] }
  | { status: 'failed'; sentence: string }
