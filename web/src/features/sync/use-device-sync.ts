import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'
import type { DeviceSync } from './sync.device.ts'

const deviceSync = lazyStore<DeviceSync | undefined>(undefined, async (set) =>
  (await import('./sync.device.ts')).watchDeviceSync(set),
)

/** The state of syncing with the server; undefined until the page is idle and the state is read. */
export const useDeviceSync = (): DeviceSync | undefined => useLazyStore(deviceSync)
