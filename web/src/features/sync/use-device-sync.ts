import { useEffect, useSyncExternalStore } from 'react'
import { whenIdle } from '../../boot/when-idle.ts'
import type { DeviceSync } from './device-sync.ts'

let known: DeviceSync | undefined
let started = false
const listeners = new Set<() => void>()

function start(): void {
  if (started) return
  started = true
  import('./device-sync.ts').then(
    ({ watchDeviceSync }) =>
      watchDeviceSync((sync) => {
        known = sync
        for (const listener of listeners) listener()
      }),
    // The line went before the code came: the next page asks again.
    () => (started = false),
  )
}

/** How the device stands with the server; undefined until the page has settled and it is known. */
export function useDeviceSync(): DeviceSync | undefined {
  useEffect(() => whenIdle(start), [])
  return useSyncExternalStore(subscribe, now, now)
}

const now = () => known

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
