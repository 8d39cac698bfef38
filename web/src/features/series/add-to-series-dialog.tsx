import { seriesTextOf } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { queryClient } from '../../lib/query-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.ts'
import { SeriesDialog } from './series-dialog.tsx'
import { saveSeries } from './series.device.ts'
import { SeriesFinder } from './series-finder.tsx'
import { useSeries } from './use-series.list.ts'

interface AddToSeriesDialogProps {
  teaching: Teaching
  /** The library. */
  rows: readonly Teaching[]
  userId: number
  onClose: () => void
}

/** Adds a teaching to the end of an existing series, or begins a series with it. */
export function AddToSeriesDialog({ teaching, rows, userId, onClose }: AddToSeriesDialogProps) {
  const all = useSeries(userId)
  const [isBeginning, setBeginning] = useState(false)
  const add = useMutation(
    {
      mutationFn: (series: Series) => {
        const text = seriesTextOf(series)
        return saveSeries(series, { ...text, teachings: [...text.teachings, teaching.uid] }, userId)
      },
      onSuccess: onClose,
      onError: () => showToast({ title: 'Error', description: seriesTexts.saveFailed, kind: 'destructive' }),
    },
    queryClient,
  )
  if (isBeginning)
    return <SeriesDialog series={undefined} first={teaching} rows={rows} userId={userId} onClose={onClose} />
  return (
    <Dialog title="Add to series" description={shownTitle(teaching)} onClose={onClose}>
      {all ? (
        <SeriesFinder
          all={all}
          uid={teaching.uid}
          pending={add.isPending}
          onChoose={(series) => add.mutate(series)}
        />
      ) : (
        <Skeleton className="mt-5 h-9 w-4/5" />
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-3">
        <Button kind="secondary" onClick={() => setBeginning(true)}>
          <Plus aria-hidden="true" className="size-5" />
          New series
        </Button>
      </div>
    </Dialog>
  )
}
