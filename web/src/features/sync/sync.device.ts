import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { watch } from '@fellowship/sync/client/engine/live'
import { onDatabaseTrouble, type DatabaseTrouble } from '@fellowship/sync/client/database/database-trouble'
import { onMemoryUse } from '@fellowship/sync/client/database/memory-fallback'
import { passOnSite, readSite } from '@fellowship/sync/client/replica/site.store'
import { syncSession, type SyncStatus } from '@fellowship/sync/client/replica/sync-session'
import { readSyncState } from '@fellowship/sync/client/replica/sync-state'
import { storedSite } from '../../boot/prerender-data.ts'
import { store } from '../../lib/site-storage.ts'

export interface DeviceSync {
  status: SyncStatus
  /** When the last sync completed, epoch milliseconds; undefined before the first. */
  syncedAt: number | undefined
  /** The server's cursor of the last sync; undefined before the first. */
  cursor: string | undefined
  trouble: DatabaseTrouble | undefined
  /** The databases are in the memory of this page, as the browser stores nothing for the site. */
  inMemory: boolean
}

/** Starts syncing, and reports its state, now and after every change. */
export function watchDeviceSync(onChange: (sync: DeviceSync) => void): void {
  const session = syncSession()
  let now: DeviceSync = {
    status: session.status(),
    syncedAt: undefined,
    cursor: undefined,
    trouble: undefined,
    inMemory: false,
  }
  const put = (change: Partial<DeviceSync>) => {
    now = { ...now, ...change }
    onChange(now)
  }
  session.onStatus(() => put({ status: session.status() }))
  onDatabaseTrouble((trouble) => put({ trouble }))
  onMemoryUse(() => put({ inMemory: true }))
  watch(
    () => readSite(appDatabase()),
    (site) => {
      passOnSite(site)
      // For the next start offline, whose page may be older.
      if (site) store(storedSite, site)
    },
  )
  watch(
    () => readSyncState(appDatabase()),
    ({ syncedAt, cursor }) => put({ syncedAt, cursor }),
  )
}
