import type { SnapshotPage } from '@fellowship/schema/sync/sync.schema'
import { snapshotRows } from '@fellowship/sync/client/replica/apply-page'
import { watch } from '@fellowship/sync/client/engine/live'
import { syncSession, type SyncSession } from '@fellowship/sync/client/replica/sync-session'

/** A replicated list, and its source. */
export interface Replicated<Row> {
  kind: Parameters<typeof snapshotRows>[1]
  /** The replica's rows in display order; undefined before the first sync. Read again after every change. */
  read: () => Promise<readonly Row[] | undefined>
  inOrder: (a: Row, b: Row) => number
  /** Pulls if the last sync is older than this. */
  freshMs: number
  onRows: (rows: readonly Row[]) => void
  /**
   * Called once if neither the device nor the server has the list, and never after rows: offline, the request fails
   * sooner than a slow device has read its copy.
   */
  onFailure: (error: unknown) => void
}

/**
 * Reports a list from the device's copy, at once and after every change, and updates the copy. On a first visit it
 * reports the rows before they are written.
 * @returns a function that ends it
 */
export function watchReplicated<Row>(
  { kind, read, inOrder, freshMs, onRows, onFailure }: Replicated<Row>,
  session: Pick<SyncSession, 'onSnapshot' | 'pullIfOlder'> = syncSession(),
): () => void {
  let shown = false
  let deviceHasNone = false
  let failure: { error: unknown } | undefined
  let isSaid = false
  const show = (rows: readonly Row[]) => {
    shown = true
    onRows(rows)
  }
  const sayIfBoth = () => {
    // Reported once, although the device is read again each second.
    if (shown || isSaid || !deviceHasNone || !failure) return
    isSaid = true
    onFailure(failure.error)
  }
  const noCopy = () => {
    deviceHasNone = true
    sayIfBoth()
  }
  const serverFailed = (error: unknown) => {
    failure = { error }
    sayIfBoth()
  }
  const preview = (page: SnapshotPage) => {
    if (!shown) show((snapshotRows(page, kind) as unknown as Row[]).sort(inOrder))
  }
  const stopWatching = watch(
    read,
    (rows) => (rows ? show(rows) : noCopy()),
    (error) => {
      serverFailed(error)
      noCopy()
    },
  )
  const stopPreview = session.onSnapshot(preview)
  session.pullIfOlder(freshMs).catch(serverFailed)
  return () => {
    stopWatching()
    stopPreview()
  }
}
