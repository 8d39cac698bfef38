import type { UploadJob } from '@fellowship/sync/client/database/upload-database'
import { useEffect } from 'react'
import { listen } from '../../lib/listen.ts'
import { readQueue } from './queue.device.ts'
import { useDeviceQuery } from '../sync/use-device-query.ts'

const openedAt = Date.now()
const none: readonly UploadJob[] = []

/** The upload jobs of this user; finished ones only since this page was opened. */
export function useQueue(userId: number): readonly UploadJob[] {
  const jobs = useDeviceQuery(() => readQueue(userId), [userId], none)
  return jobs.filter(({ state, finishedAt = 0 }) => state !== 'done' || finishedAt >= openedAt)
}

/** Holds a wake lock while a visible page works: a phone that goes to sleep stops sending. */
export function useWakeLock(moving: boolean): void {
  useEffect(() => {
    if (!moving || !('wakeLock' in navigator)) return
    let lock: WakeLockSentinel | undefined
    let over = false
    const hold = () => {
      if (document.visibilityState !== 'visible') return
      // Rejects if the battery is low.
      navigator.wakeLock.request('screen').then(
        (held) => {
          if (over) void held.release()
          else lock = held
        },
        () => undefined,
      )
    }
    hold()
    // The browser releases the lock whenever the page is hidden.
    const stop = listen(document, ['visibilitychange'], hold)
    return () => {
      over = true
      stop()
      void lock?.release()
    }
  }, [moving])
}
