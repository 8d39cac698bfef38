import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { PlayOnChoice } from '../features/audio/up-next/play-collection.tsx'
import { ListeningChoices } from '../features/listening/listening-choices.tsx'
import { SeriesChoice } from '../features/series/series-choice.tsx'

interface RowChoicesProps {
  teaching: Teaching
  /** Opens the choice of the series that a teaching is added to; for people who may edit. */
  toSeries?: ((teaching: Teaching) => void) | undefined
  /** What it belongs to on this page, in its order. */
  inOrder?: readonly Teaching[] | undefined
  onDone: () => void
}

/** What a listener chooses in the sheet of a row, and people who may edit besides. */
export function RowChoices({ teaching, toSeries, inOrder, onDone }: RowChoicesProps) {
  const addToSeries = () => {
    onDone()
    toSeries?.(teaching)
  }
  return (
    <>
      {inOrder && <PlayOnChoice teaching={teaching} inOrder={inOrder} onDone={onDone} />}
      <ListeningChoices teaching={teaching} onDone={onDone} />
      {/* A saved recording whose teaching has left the library has the id 0. */}
      {toSeries && teaching.id !== 0 && <SeriesChoice onClick={addToSeries} />}
    </>
  )
}
