import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { PlayOnChoice } from '../features/audio/up-next/play-collection.tsx'
import { ListeningChoices } from '../features/listening/listening-choices.tsx'
import { SeriesChoice } from '../features/series/series-choice.tsx'

interface RowChoicesProps {
  teaching: ListedTeaching
  /** Opens the choice of the series that a teaching is added to; for people who may edit. */
  toSeries?: ((teaching: Teaching) => void) | undefined
  /** What it belongs to on this page, in its order. */
  inOrder?: readonly ListedTeaching[] | undefined
  onDone: () => void
}

/** What a listener chooses in the sheet of a row, and people who may edit besides. */
export function RowChoices({ teaching, toSeries, inOrder, onDone }: RowChoicesProps) {
  return (
    <>
      {inOrder && <PlayOnChoice teaching={teaching} inOrder={inOrder} onDone={onDone} />}
      <ListeningChoices teaching={teaching} onDone={onDone} />
      {toSeries && isInLibrary(teaching) && (
        <SeriesChoice
          onClick={() => {
            onDone()
            toSeries(teaching)
          }}
        />
      )}
    </>
  )
}
