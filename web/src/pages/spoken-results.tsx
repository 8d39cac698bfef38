import { filterTeachings } from '@fellowship/schema/teachings/teaching-facets'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useCallback, useMemo } from 'react'
import { playableOf } from '../features/audio/player/recording-of.ts'
import { usePlayer } from '../features/audio/player/use-player.ts'
import { SpokenFound } from '../features/spoken-search/spoken-found.tsx'
import type { LibraryFilters } from '../features/teachings/library.ts'
import { TeachingLink } from '../features/teachings/teaching-link.view.tsx'

interface SpokenResultsProps {
  filters: LibraryFilters
  /** All teachings, also those that are not listed: what is saved may not be what was meant. */
  rows: readonly ListedTeaching[]
}

/** What was said in all teachings, below the results of the library's search; a press plays it. */
export function SpokenResults({ filters, rows }: SpokenResultsProps) {
  const player = usePlayer()
  const { book, speaker, year } = filters
  const chosen = useMemo(() => filterTeachings(rows, { book, speaker, year }), [rows, book, speaker, year])
  const play = useCallback(
    (teaching: ListedTeaching, seconds: number) => {
      const recording = playableOf(teaching)
      if (recording) player?.playFrom(recording, seconds)
    },
    [player],
  )
  return <SpokenFound query={filters.q} rows={chosen} link={linkOf} onPlay={play} />
}

const linkOf = (teaching: ListedTeaching) => (
  <TeachingLink teaching={teaching} className="hover:text-pine hover:underline" />
)
