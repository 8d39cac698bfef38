import { counted } from '@fellowship/schema/counted'
import { type BinnedSeries, series } from '@fellowship/schema/series/series.contract'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { Bin, BinRow } from '../../ui/bin.tsx'

/** Series that were deleted within the last 30 days, each with a button that restores it. */
export function SeriesBin() {
  return (
    <Bin
      title="Deleted series"
      description="A deleted series can be restored for 30 days. Its teachings were never deleted."
      query={useBinnedSeries()}
      empty={seriesTexts.binEmpty}
      failed={seriesTexts.binFailed}
      keyOf={({ uid }) => uid}
    >
      {(series) => <Row series={series} />}
    </Bin>
  )
}

function Row({ series }: { series: BinnedSeries }) {
  const { mutate, isPending } = useRestoreSeries()
  return (
    <BinRow
      {...series}
      about={counted(series.teachings.length, 'teaching')}
      pending={isPending}
      onRestore={() => mutate(series)}
    />
  )
}

const useBinnedSeries = adminQuery(series.bin)

const useRestoreSeries = adminMutation({
  call: ({ uid }: BinnedSeries) => call(series.restore, { params: { uid } }),
  success: ({ title }) => ({ title: seriesTexts.restored, description: title }),
  failure: seriesTexts.restoreFailed,
  invalidates: [series.bin],
})
