import { useSyncExternalStore } from 'react'

const listen = (onChange: () => void) => {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

/** The browser's report: false means offline for certain, true only that there is some network. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    listen,
    () => navigator.onLine,
    () => true,
  )

let offlineSince: number | undefined

/** The time of the browser's first offline report to this page, in epoch milliseconds; undefined online. */
export const useOfflineSince = (): number | undefined =>
  useSyncExternalStore(
    listen,
    () => (offlineSince = navigator.onLine ? undefined : (offlineSince ?? Date.now())),
    () => undefined,
  )
