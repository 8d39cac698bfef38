import type { Series } from '@fellowship/schema/series/series.schema'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { readShownSeries } from './series-device.ts'

/** The series as a user sees them, live, by title; undefined until the replica has been read. */
export const useSeries = (userId: number | undefined): readonly Series[] | undefined =>
  useDeviceQuery<readonly Series[] | undefined>(() => readShownSeries(userId), [userId], undefined)
