import { elders } from '@fellowship/schema/elders/elders.contract'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { call } from '@fellowship/sync/call/call'
import { snapshotRows } from '@fellowship/sync/client/apply-page'
import { liveQuery } from '@fellowship/sync/client/database'
import { inShownOrder, readElders } from '@fellowship/sync/client/elders.store'
import { syncSession } from '@fellowship/sync/client/sync-session'
import { failureOfBoth } from '../../lib/failure-of-both.ts'
import type { Elders } from './elders-state.ts'

/**
 * Tells the elders from the device's copy, at once and after every change. On a first visit they are shown while they
 * are still being written; a browser that keeps nothing for the site is served from the line alone.
 */
export function watchElders(onChange: (elders: Elders) => void): () => void {
  const session = syncSession()
  let shown = false
  const failure = failureOfBoth(() => onChange({ status: 'failed', sentence: elderTexts.fetchFailed }))
  const show = (rows: readonly Elder[]) => {
    shown = true
    failure.shown()
    onChange({ status: 'ready', rows })
  }
  const subscription = liveQuery(() => readElders()).subscribe({
    next: (rows) => (rows ? show(rows) : failure.deviceHasNone()),
    error: () => {
      failure.deviceHasNone()
      void call(elders.list).then(show, failure.serverFailed)
    },
  })
  const stopPreview = session.onSnapshot((page) => {
    if (shown) return
    const rows = snapshotRows(page, 'elder') as unknown as Elder[]
    show(rows.sort(inShownOrder))
  })
  // SPEC §4: asked for at every mount, whatever the device has.
  session.pullIfOlder(0).catch(failure.serverFailed)
  return () => {
    subscription.unsubscribe()
    stopPreview()
  }
}

/** Asks the server now; what is on the screen stays meanwhile, and if it fails. */
export const refreshElders = (): void =>
  void syncSession()
    .pull()
    .catch(() => undefined)
