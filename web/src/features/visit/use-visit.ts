import { hasVisitDetails } from '@fellowship/schema/visit/visit-details'
import type { VisitDetails } from '@fellowship/schema/visit/visit.schema'
import { startTransition, useEffect, useState } from 'react'
import { firstVisit } from '../../boot/prerender-data.ts'
import { preloadCalls, whenIdle } from '../../boot/phases.ts'

/** The visit details for newcomers; null if none are filled in, or while they load. */
export function useVisit(): VisitDetails | null {
  const [details, setDetails] = useState(() => firstVisit() ?? null)
  useEffect(() => {
    let unmounted = false
    const read = async () => {
      await preloadCalls()
      const known = await import('./visit.device.ts').then((part) => part.readVisit())
      if (!known || unmounted) return
      const { details: latest, isFromServer } = known
      if (hasVisitDetails(latest)) startTransition(() => setDetails(latest))
      // The details stored on this device may be older than those of the prerendered page.
      else if (isFromServer) startTransition(() => setDetails(null))
    }
    // If the code fails to load, the prerendered details stay.
    const cancel = whenIdle(() => void read().catch(() => undefined))
    return () => {
      unmounted = true
      cancel()
    }
  }, [])
  return details
}
