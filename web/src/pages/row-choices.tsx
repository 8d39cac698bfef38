import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { ListPlus } from 'lucide-react'
import { PlayOnChoice } from '../features/audio/up-next/play-collection.tsx'
import { ListeningChoices } from '../features/listening/listening-choices.tsx'
import { ChangeChoices } from '../features/teachings/row-tools.tsx'
import type { RowChange } from '../features/teachings/teaching-dialogs.tsx'
import { Choice } from '../ui/choice.tsx'

interface RowChoicesProps {
  teaching: ListedTeaching
  /** Opens the dialog that adds a teaching to a series; only if the user may edit. */
  toSeries?: ((teaching: Teaching) => void) | undefined
  /** Opens the dialog that edits or deletes a teaching; only if the user may. */
  onChange?: ((change: RowChange) => void) | undefined
  /** The teachings of its collection on this page, in their order. */
  inOrder?: readonly ListedTeaching[] | undefined
  onDone: () => void
}

/** The choices in the sheet of a row, with those of an editor if the user may edit. */
export function RowChoices({ teaching, toSeries, onChange, inOrder, onDone }: RowChoicesProps) {
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
      {onChange && <ChangeChoices teaching={teaching} onChange={onChange} onDone={onDone} />}
    </>
  )
}

function SeriesChoice({ onClick }: { onClick: () => void }) {
  return (
    <Choice icon={ListPlus} onClick={onClick}>
      Add to series…
    </Choice>
  )
}
