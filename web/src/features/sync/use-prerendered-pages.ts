import { cachePrerenderedPages } from '@fellowship/sync/client/worker-messages'
import { useEffect } from 'react'
import { useComfort, useReducedData } from '../../lib/comfort.ts'
import { whenIdle } from '../../boot/phases.ts'
import { useAuth } from '../auth/auth-context.tsx'
import { useDeviceSync } from './use-device-sync.ts'

/**
 * The service worker caches the prerendered public pages, so that the next start shows them at once. None are cached if a
 * user is signed in, whose pages differ, or if the browser saves data.
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
  // Without a service worker it never resolves, and holds nothing; Firefox rejects if it refuses site data.
  const registration = await navigator.serviceWorker.ready.catch(() => undefined)
  registration?.active?.postMessage({ type: cachePrerenderedPages, state })
}
