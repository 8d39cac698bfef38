import { counted } from '@fellowship/schema/counted'
import { seriesFinder } from '@fellowship/schema/series/series-search'
import { seriesTextOf } from '@fellowship/schema/series/series-words'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useMutation } from '@tanstack/react-query'
import { ListPlus, Plus } from 'lucide-react'
import { use, useMemo, useState } from 'react'
import { queryClient } from '../../lib/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ObstacleContext } from '../../ui/held-dialog.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.ts'
import { signedIn, useAuth } from '../auth/auth-context.tsx'
import { FinderChoice, FinderInput } from './finder-parts.tsx'
import { SeriesDialog } from './series-dialog.tsx'
import { saveSeries } from './series.device.ts'
import { useSeries } from './use-series.list.ts'

interface AddToSeriesDialogProps {
  teaching: Teaching
  /** The teachings of the library; undefined until they are read. */
  rows: readonly Teaching[] | undefined
  onClose: () => void
}

/** Adds a teaching to the end of an existing series, or begins a series with it. */
export function AddToSeriesDialog({ teaching, rows, onClose }: AddToSeriesDialogProps) {
  const { user } = useAuth()
  const { notice } = use(ObstacleContext)
  const all = useSeries(user?.id)
  const [isBeginning, setBeginning] = useState(false)
  const add = useMutation(
    {
      mutationFn: (series: Series) => {
        const text = seriesTextOf(series)
        return saveSeries(series, { ...text, teachings: [...text.teachings, teaching.uid] }, signedIn(user))
      },
      onSuccess: onClose,
      onError: () => showToast({ title: 'Error', description: seriesTexts.saveFailed, kind: 'destructive' }),
    },
    queryClient,
  )
  if (isBeginning) return <SeriesDialog series={undefined} first={teaching} rows={rows} onClose={onClose} />
  return (
    <Dialog title="Add to series" description={shownTitle(teaching)} onClose={onClose}>
      {notice}
      {all ? (
        <SeriesFinder
          all={all}
          uid={teaching.uid}
          pending={add.isPending || notice !== undefined}
          onChoose={(series) => add.mutate(series)}
        />
      ) : (
        <Skeleton className="mt-5 h-9 w-4/5" />
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-3">
        <Button icon={Plus} kind="secondary" onClick={() => setBeginning(true)}>
          New series
        </Button>
      </div>
    </Dialog>
  )
}

interface SeriesFinderProps {
  all: readonly Series[]
  uid: string
  pending: boolean
  onChoose: (series: Series) => void
}

/** The series by title; if there are more than a few, with a search field. */
function SeriesFinder({ all, uid, pending, onChoose }: SeriesFinderProps) {
  const [query, setQuery] = useState('')
  const find = useMemo(() => seriesFinder(all), [all])
  const isSearching = query.trim() !== ''
  const listed = isSearching ? find(query, mostListed) : all.slice(0, mostListed)
  if (all.length === 0) return <p className="mt-5 text-soft">{seriesTexts.none}</p>
  return (
    <div className="mt-5">
      {all.length > mostListed && (
        <FinderInput label="Find a series" maxLength={seriesLimits.title} query={query} onQuery={setQuery} />
      )}
      <ul aria-label="Series" className="mt-2 flex flex-col">
        {listed.map((series) => {
          const full = fullness(series, uid)
          return (
            <FinderChoice
              key={series.uid}
              icon={ListPlus}
              title={series.title}
              note={full ?? counted(series.teachings.length, 'teaching')}
              disabled={pending}
              aria-disabled={full !== undefined || undefined}
              onClick={() => full === undefined && onChoose(series)}
            />
          )
        })}
      </ul>
      <output className="text-small text-soft">
        {isSearching && listed.length === 0 && 'No series has these words in its title.'}
        {!isSearching &&
          all.length > listed.length &&
          `${all.length - listed.length} more: find them by words.`}
      </output>
    </div>
  )
}

/** The reason why the teaching cannot be added; undefined if it can. */
function fullness({ teachings }: Series, uid: string): string | undefined {
  if (teachings.includes(uid)) return seriesTexts.already
  return teachings.length >= seriesLimits.teachings ? seriesTexts.full : undefined
}

const mostListed = 8
