import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'
import { useOfflineSince } from '../../lib/use-online.ts'
import { standingOf } from './status-words.ts'
import type { DeviceSync } from './sync.device.ts'

const deviceSync = lazyStore<DeviceSync | undefined>(undefined, async (set) =>
  (await import('./sync.device.ts')).watchDeviceSync(set),
)

/** The state of syncing with the server; undefined until the page is idle and the state is read. */
export const useDeviceSync = (): DeviceSync | undefined => useLazyStore(deviceSync)

/** Whether this device has no connection: the browser is offline, or the server did not answer. */
export function useOffline(): boolean {
  const sync = useDeviceSync()
  const offlineSince = useOfflineSince()
  return sync === undefined ? offlineSince !== undefined : standingOf(sync, offlineSince) === 'offline'
}
