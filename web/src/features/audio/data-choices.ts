import { useSyncExternalStore } from 'react'
import { chosenComfort, reducesData } from '../../lib/comfort.ts'

/** Whether to play and save the smaller recordings: as the user chose, else by default on a metered or slow connection or with reduced data. */
export function prefersSmall(): boolean {
  const { recordings } = chosenComfort.snapshot()
  if (recordings) return recordings === 'small'
  if (typeof window === 'undefined') return false
  const { connection } = navigator as { connection?: { type?: string; effectiveType?: string } }
  return reducesData() || connection?.type === 'cellular' || /[23]g/.test(connection?.effectiveType ?? '')
}

export const usePrefersSmall = (): boolean =>
  useSyncExternalStore(chosenComfort.subscribe, prefersSmall, () => false)

/**
 * Whether a service worker of this browser may fetch for the player. Not in WebKit: there a response from chunks and network
 * at times stands still after a seek, so it plays from the network as ever; saved recordings are whole, and play.
 */
export const canFetchAhead = (): boolean => !String(navigator.vendor).startsWith('Apple')

/** Whether the rest of a recording is fetched while it plays. */
export const fetchesAhead = (): boolean =>
  chosenComfort.snapshot().ahead !== 'off' && !reducesData() && canFetchAhead()
