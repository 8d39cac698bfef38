import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { useCallback, useEffect, useState } from 'react'
import { preloadReplica, whenIdle } from '../../boot/phases.ts'
import { firstElders } from '../../boot/prerender-data.ts'
import type { Elders } from './elders-state.ts'

/** The elders, live, and a retry after a failure. IndexedDB is opened after the first paint. */
export function useElders({ refetchOnFocus = false } = {}): { elders: Elders; retry: () => void } {
  const [elders, setElders] = useState<Elders>(initialElders)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let unmounted = false
    let stop: (() => void) | undefined
    // A failure does not replace prerendered elders.
    const update = (next: Elders) =>
      setElders((before) => (next.status === 'failed' && before.status === 'ready' ? before : next))
    const start = () =>
      elderPart().then(
        ({ watchElders }) => {
          if (!unmounted) stop = watchElders(update)
        },
        () => update({ status: 'failed', sentence: elderTexts.fetchFailed }),
      )
    const cancel = whenIdle(() => void start())
    return () => {
      unmounted = true
      cancel()
      stop?.()
    }
  }, [attempt])
  useEffect(() => {
    if (!refetchOnFocus) return
    const refetch = () => void import('./elders.device.ts').then(({ refreshElders }) => refreshElders())
    window.addEventListener('focus', refetch)
    return () => window.removeEventListener('focus', refetch)
  }, [refetchOnFocus])
  const retry = useCallback(() => {
    setElders({ status: 'loading' })
    setAttempt((count) => count + 1)
  }, [])
  return { elders, retry }
}

const elderPart = async () => {
  await preloadReplica()
  return import('./elders.device.ts')
}

/** The elders of the prerendered page, until the replica has been read. */
function initialElders(): Elders {
  const rows = firstElders()
  return rows ? { status: 'ready', rows } : { status: 'loading' }
}
