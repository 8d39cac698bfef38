import type { Series } from '@fellowship/schema/series/series.schema'
import { useEffect, useState } from 'react'
import { deferUntilInteraction, preloadReplica, whenContentPainted } from '../../boot/phases.ts'

/**
 * The series as a user sees them, live, by title; undefined until the replica has been read, which is after the first
 * paint.
 */
export function useSeries(userId: number | undefined): readonly Series[] | undefined {
  const [series, setSeries] = useState<readonly Series[]>()
  useEffect(() => {
    let unmounted = false
    let stop: (() => void) | undefined
    const begin = async () => {
      await deferUntilInteraction()
      await whenContentPainted()
      await preloadReplica()
      const { watchSeries } = await import('./series.device.ts')
      if (!unmounted) stop = watchSeries(userId, setSeries)
    }
    // If the code fails to load, useLibrary reports it.
    begin().catch(() => undefined)
    return () => {
      unmounted = true
      stop?.()
    }
  }, [userId])
  return series
}
