import { counted } from '@fellowship/schema/counted'
import { seriesFinder } from '@fellowship/schema/series/series-search'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { ListPlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { FinderChoice, FinderInput } from './finder-parts.tsx'

interface SeriesFinderProps {
  all: readonly Series[]
  /** The uid of the teaching to add. */
  uid: string
  pending: boolean
  onChoose: (series: Series) => void
}

/** The series by title; if there are more than a few, with a search field. */
export function SeriesFinder({ all, uid, pending, onChoose }: SeriesFinderProps) {
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
