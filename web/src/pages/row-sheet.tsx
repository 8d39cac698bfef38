import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { ComponentProps } from 'react'
import { ShareChoice } from '../features/teachings/share-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { RowChoices } from './row-choices.tsx'

interface RowSheetProps extends Omit<ComponentProps<typeof RowChoices>, 'onDone'> {
  /** The listening position in seconds, for a link. */
  momentOf: (teaching: ListedTeaching) => number
  onClose: () => void
}

/** Share, and the choices of a row, loaded together so that none moves under a finger. */
export function RowSheet({ momentOf, onClose, ...choices }: RowSheetProps) {
  const { teaching } = choices
  return (
    <Dialog title={shownTitle(teaching)} width="narrow" onClose={onClose}>
      <ul className="mt-3 flex flex-col">
        <ShareChoice teaching={teaching} momentOf={momentOf} onDone={onClose} />
        <RowChoices {...choices} onDone={onClose} />
      </ul>
    </Dialog>
  )
}
