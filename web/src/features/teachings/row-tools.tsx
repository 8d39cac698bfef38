import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Pencil, Trash2 } from 'lucide-react'
import { Choice } from '../../ui/choice.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Tooltip, TooltipProvider } from '../../ui/tooltip.tsx'
import type { RowChange } from './teaching-dialogs.tsx'

interface RowToolsProps {
  teaching: Teaching
  onChange: (change: RowChange) => void
}

/** Edit and delete, for signed-in users on wide screens. */
export function RowTools({ teaching, onChange }: RowToolsProps) {
  const title = shownTitle(teaching)
  return (
    <TooltipProvider>
      <Tooltip text="Edit">
        <IconButton
          label={`Edit ${title}`}
          icon={Pencil}
          aria-haspopup="dialog"
          onClick={() => onChange({ what: 'edit', teaching })}
        />
      </Tooltip>
      <Tooltip text="Delete">
        <IconButton
          kind="danger"
          label={`Delete ${title}`}
          icon={Trash2}
          aria-haspopup="dialog"
          onClick={() => onChange({ what: 'delete', teaching })}
        />
      </Tooltip>
    </TooltipProvider>
  )
}

interface ChangeChoicesProps {
  teaching: ListedTeaching
  onChange: (change: RowChange) => void
  onDone: () => void
}

/** Edit and delete, in the sheet of a row. */
export function ChangeChoices({ teaching, onChange, onDone }: ChangeChoicesProps) {
  if (!isInLibrary(teaching)) return null
  const choose = (what: RowChange['what']) => () => {
    onDone()
    onChange({ what, teaching })
  }
  return (
    <>
      <Choice icon={Pencil} onClick={choose('edit')}>
        Edit
      </Choice>
      <Choice danger icon={Trash2} onClick={choose('delete')}>
        Delete
      </Choice>
    </>
  )
}
