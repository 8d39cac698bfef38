import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { useCallback, useEffect, useState } from 'react'
import { preloadReplica } from '../../boot/preload.ts'
import { whenIdle } from '../../boot/when-idle.ts'
import { firstElders } from '../../boot/prerender-data.ts'
import type { Elders } from './elders-state.ts'

/** The elders as they change, and a way to begin anew after a failure. The device's database opens once the page is drawn. */
export function useElders({ refetchOnFocus = false } = {}): { elders: Elders; retry: () => void } {
  const [elders, setElders] = useState<Elders>(atFirst)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let left = false
    let stop: (() => void) | undefined
    // What can be read already, from the first HTML, is not taken away for a failure.
    const tell = (next: Elders) =>
      setElders((before) => (next.status === 'failed' && before.status === 'ready' ? before : next))
    const begin = () =>
      elderPart().then(
        ({ watchElders }) => {
          if (!left) stop = watchElders(tell)
        },
        () => tell({ status: 'failed', sentence: elderTexts.fetchFailed }),
      )
    const callOff = whenIdle(() => void begin())
    return () => {
      left = true
      callOff()
      stop?.()
    }
  }, [attempt])
  useEffect(() => {
    if (!refetchOnFocus) return
    const refetch = () => void import('./elders-device.ts').then(({ refreshElders }) => refreshElders())
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
  return import('./elders-device.ts')
}

/** Drawn from the first HTML's elders until the device tells. */
function atFirst(): Elders {
  const rows = firstElders()
  return rows ? { status: 'ready', rows } : { status: 'loading' }
}
