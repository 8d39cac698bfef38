import { useSyncExternalStore } from 'react'

/** What the browser reports: false means offline for certain, true only that there is some network. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (onChange) => {
      addEventListener('online', onChange)
      addEventListener('offline', onChange)
      return () => {
        removeEventListener('online', onChange)
        removeEventListener('offline', onChange)
      }
    },
    () => navigator.onLine,
    () => true,
  )
