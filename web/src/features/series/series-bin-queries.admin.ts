import { series, type BinnedSeries } from '@fellowship/schema/series/series.contract'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'

/** Series that were deleted within the last 30 days. */
export const useBinnedSeries = adminQuery(series.bin)

export const useRestoreSeries = adminMutation({
  call: ({ uid }: BinnedSeries) => call(series.restore, { params: { uid } }),
  success: ({ title }) => ({ title: seriesTexts.restored, description: title }),
  failure: seriesTexts.restoreFailed,
  invalidates: [series.bin],
})
