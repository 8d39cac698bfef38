import type { Series } from '@fellowship/schema/series/series.schema'
import { useEffect, useState } from 'react'
import { deferUntilInteraction, preloadReplica, whenContentPainted } from '../../boot/phases.ts'
import { runWhenLoaded } from '../../lib/run-when-loaded.ts'

/**
 * The series as a user sees them, live, by title; undefined until the replica has been read, which is after the first
 * paint.
 */
export function useSeries(userId: number | undefined): readonly Series[] | undefined {
  const [series, setSeries] = useState<readonly Series[]>()
  // If the code fails to load, useLibrary reports it.
  useEffect(
    () =>
      runWhenLoaded(async () => {
        await deferUntilInteraction()
        await whenContentPainted()
        await preloadReplica()
        const { watchSeries } = await import('./series.device.ts')
        return () => watchSeries(userId, setSeries)
      }),
    [userId],
  )
  return series
}
