import { cachePrerenderedPages } from '@fellowship/sync/client/worker-messages'
import { useEffect } from 'react'
import { useComfort, useReducedData } from '../../lib/comfort.ts'
import { whenIdle } from '../../boot/when-idle.ts'
import { useAuth } from '../auth/auth-context.tsx'
import { useDeviceSync } from './use-device-sync.ts'

/**
 * Has the service worker cache the prerendered public pages for this device, so that the next start shows them at once.
 * None are cached for a signed-in user, whose pages differ, or with reduced data.
 */
export function usePrerenderedPages(): void {
  const cursor = useDeviceSync()?.cursor
  const { status, user } = useAuth()
  const { text = '', contrast = '', scheme = '' } = useComfort()
  const reduced = useReducedData()
  const state = user || reduced ? null : [cursor, text, contrast, scheme].join(' ')
  const known = status === 'known' && cursor !== undefined
  useEffect(() => {
    if (!known || !('serviceWorker' in navigator)) return undefined
    return whenIdle(() => void postToWorker(state))
  }, [known, state])
}

async function postToWorker(state: string | null): Promise<void> {
  // Never resolves where there is no service worker, which holds nothing; Firefox rejects it where it refuses site data.
  const registration = await navigator.serviceWorker.ready.catch(() => undefined)
  registration?.active?.postMessage({ type: cachePrerenderedPages, state })
}
