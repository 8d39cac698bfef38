import { useOfflineSince } from '../../lib/use-online.ts'
import { standingOf } from './status-words.ts'
import { useDeviceSync } from './use-device-sync.ts'

/** Whether this device has no connection: the browser is offline, or the server did not answer. */
export function useOffline(): boolean {
  const sync = useDeviceSync()
  const offlineSince = useOfflineSince()
  return sync === undefined ? offlineSince !== undefined : standingOf(sync, offlineSince) === 'offline'
}
