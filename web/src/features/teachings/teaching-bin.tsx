import type { BinnedTeaching } from '@fellowship/schema/teachings/bin.contract'
import { binTexts } from '@fellowship/schema/teachings/bin.texts'
import { formatDate } from '@fellowship/schema/dates'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { Undo2 } from 'lucide-react'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useBinnedTeachings, useRestoreTeaching } from './bin.queries.ts'

/** Teachings that were deleted within the last 30 days, each with a button that restores it. */
export function TeachingBin() {
  const { data, error, refetch } = useBinnedTeachings()
  return (
    <Section
      title="Deleted teachings"
      description="A deleted teaching and its recording can be restored for 30 days."
    >
      {data && data.length === 0 && <EmptyState title={binTexts.empty} />}
      {data && data.length > 0 && (
        <ul className="grid gap-3">
          {data.map((teaching) => (
            <li key={teaching.id}>
              <Row teaching={teaching} />
            </li>
          ))}
        </ul>
      )}
      {error && !data && <LoadFailure sentence={binTexts.loadFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24 w-full" />}
    </Section>
  )
}

function Row({ teaching }: { teaching: BinnedTeaching }) {
  const restore = useRestoreTeaching()
  const title = withSpaces(teaching.title)
  return (
    <Card className="admin-box flex flex-wrap items-center gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="text-xl wrap-anywhere">{title}</h3>
        <p className="text-soft">
          {teaching.speaker}, {formatDate(teaching.date)}
        </p>
        <p className="mt-1 text-small text-soft">
          Deleted on {shownMoment(teaching.deletedAt, 'day')}, gone for good on{' '}
          {shownMoment(teaching.goneAt, 'day')}
        </p>
      </div>
      <Button
        kind="secondary"
        aria-label={`Restore ${title}`}
        pending={restore.isPending}
        pendingLabel="Restoring..."
        onClick={() => restore.mutate(teaching)}
      >
        <Undo2 aria-hidden="true" className="size-5" />
        Restore
      </Button>
    </Card>
  )
}
