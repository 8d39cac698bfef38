import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { inShownOrder, readElders } from '@fellowship/sync/client/replica/elders.store'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { watchReplicated } from '../../lib/watch-replicated.ts'
import type { Elders } from './elders-state.ts'

/** Tells the elders, from the device's copy first. */
export const watchElders = (onChange: (elders: Elders) => void): (() => void) =>
  watchReplicated({
    kind: 'elder',
    read: () => readElders(),
    inOrder: inShownOrder,
    // SPEC §4: asked for at every mount, whatever the device has.
    freshMs: 0,
    onRows: (rows) => onChange({ status: 'ready', rows }),
    onFailure: () => onChange({ status: 'failed', sentence: elderTexts.fetchFailed }),
  })

/** Asks the server now; what is on the screen stays meanwhile, and if it fails. */
export const refreshElders = (): void =>
  void syncSession()
    .pull()
    .catch(() => undefined)
