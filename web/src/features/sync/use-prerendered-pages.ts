import { cachePrerenderedPages } from '@fellowship/sync/client/worker-messages'
import { useEffect } from 'react'
import { useComfort, useReducedData } from '../../lib/comfort.ts'
import { whenIdle } from '../../boot/when-idle.ts'
import { useAuth } from '../auth/auth-context.tsx'
import { useDeviceSync } from './use-device-sync.ts'

/**
 * Tells the worker how the public pages would be drawn for this device, so that the next start shows them at once. None
 * are kept for somebody who is signed in, whose pages are others, or where the line is to be spared.
 */
export function usePrerenderedPages(): void {
  const cursor = useDeviceSync()?.cursor
  const { status, user } = useAuth()
  const { text = '', contrast = '' } = useComfort()
  const reduced = useReducedData()
  const state = user || reduced ? null : [cursor, text, contrast].join(' ')
  const known = status === 'known' && cursor !== undefined
  useEffect(() => {
    if (!known || !('serviceWorker' in navigator)) return undefined
    return whenIdle(() => void tellWorker(state))
  }, [known, state])
}

async function tellWorker(state: string | null): Promise<void> {
  // On a first visit it comes later; where there is none, this waits for ever and holds nothing.
  const { active } = await navigator.serviceWorker.ready
  active?.postMessage({ type: cachePrerenderedPages, state })
}
