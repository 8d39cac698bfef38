import { useSyncExternalStore } from 'react'

/** Whether the browser believes it has a line. True says little, false is certain. */
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
