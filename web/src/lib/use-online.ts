import { useSyncExternalStore } from 'react'
import { listen } from './listen.ts'

const subscribe = (onChange: () => void) => listen(window, ['online', 'offline'], onChange)

/** The browser's report: false means offline for certain, true only that there is some network. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )

let offlineSince: number | undefined

/** The time of the browser's first offline report to this page, in epoch milliseconds; undefined online. */
export const useOfflineSince = (): number | undefined =>
  useSyncExternalStore(
    subscribe,
    () => (offlineSince = navigator.onLine ? undefined : (offlineSince ?? Date.now())),
    () => undefined,
  )
