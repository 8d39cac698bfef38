import { counted } from '@fellowship/schema/counted'
import type { BinnedSeries } from '@fellowship/schema/series/series.contract'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { Undo2 } from 'lucide-react'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useBinnedSeries, useRestoreSeries } from './series-bin.queries.ts'

/** Series that were deleted within the last 30 days, each with a button that restores it. */
export function SeriesBin() {
  const { data, error, refetch } = useBinnedSeries()
  return (
    <Section
      title="Deleted series"
      description="A deleted series can be restored for 30 days. Its teachings were never deleted."
    >
      {data && data.length === 0 && <EmptyState title={seriesTexts.binEmpty} />}
      {data && data.length > 0 && (
        <ul className="grid gap-3">
          {data.map((each) => (
            <li key={each.uid}>
              <Row series={each} />
            </li>
          ))}
        </ul>
      )}
      {error && !data && <LoadFailure sentence={seriesTexts.binFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24 w-full" />}
    </Section>
  )
}

function Row({ series }: { series: BinnedSeries }) {
  const restore = useRestoreSeries()
  const { title, teachings, deletedAt, goneAt } = series
  return (
    <Card className="flex flex-wrap items-center gap-x-6 gap-y-3 p-4 sm:p-5">
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="text-xl wrap-anywhere">{title}</h3>
        <p className="text-soft">{counted(teachings.length, 'teaching')}</p>
        <p className="mt-1 text-small text-soft">
          Deleted on {shownMoment(deletedAt, 'day')}, gone for good on {shownMoment(goneAt, 'day')}
        </p>
      </div>
      <Button
        kind="secondary"
        aria-label={`Restore ${title}`}
        pending={restore.isPending}
        pendingLabel="Restoring..."
        onClick={() => restore.mutate(series)}
      >
        <Undo2 aria-hidden="true" className="size-5" />
        Restore
      </Button>
    </Card>
  )
}
