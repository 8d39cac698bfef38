import { hasVisitDetails } from '@fellowship/schema/visit/visit-details'
import type { VisitDetails } from '@fellowship/schema/visit/visit.schema'
import { startTransition, useEffect, useState } from 'react'
import { firstVisit } from '../../boot/first-data.ts'
import { preloadCalls } from '../../boot/preload.ts'
import { whenIdle } from '../../boot/when-idle.ts'

/** What a person who plans a visit is told; null where nothing is filled in, or nothing known yet. */
export function useVisit(): VisitDetails | null {
  const [details, setDetails] = useState(() => firstVisit() ?? null)
  useEffect(() => {
    let unmounted = false
    const read = async () => {
      await preloadCalls()
      const known = await import('./visit-device.ts').then((part) => part.readVisit())
      if (!known || unmounted) return
      const { details: latest, isFromServer } = known
      if (hasVisitDetails(latest)) startTransition(() => setDetails(latest))
      // What this device kept may be from before those that the page was rendered with.
      else if (isFromServer) startTransition(() => setDetails(null))
    }
    // Without its code the prerendered details stay.
    const cancel = whenIdle(() => void read().catch(() => undefined))
    return () => {
      unmounted = true
      cancel()
    }
  }, [])
  return details
}
