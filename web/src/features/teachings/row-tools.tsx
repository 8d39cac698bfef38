import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Pencil, Trash2 } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Tooltip, TooltipProvider } from '../../ui/tooltip.tsx'
import { DeleteTeachingDialog } from './delete-teaching-dialog.tsx'
import { EditTeachingDialog } from './edit-teaching-dialog.tsx'

/** The open dialog, with the teaching as it was shown when it was opened. */
export interface RowChange {
  what: 'edit' | 'delete'
  teaching: Teaching
}

interface RowToolsProps {
  teaching: Teaching
  onChange: (change: RowChange) => void
}

/** Edit and delete, for signed-in users. */
export function RowTools({ teaching, onChange }: RowToolsProps) {
  const title = shownTitle(teaching)
  return (
    <TooltipProvider>
      <Tooltip text="Edit">
        <IconButton
          label={`Edit ${title}`}
          aria-haspopup="dialog"
          onClick={() => onChange({ what: 'edit', teaching })}
        >
          <Pencil aria-hidden="true" className="size-5" />
        </IconButton>
      </Tooltip>
      <Tooltip text="Delete">
        <IconButton
          kind="danger"
          label={`Delete ${title}`}
          aria-haspopup="dialog"
          onClick={() => onChange({ what: 'delete', teaching })}
        >
          <Trash2 aria-hidden="true" className="size-5" />
        </IconButton>
      </Tooltip>
    </TooltipProvider>
  )
}

export function ChangeDialog({ what, teaching, onClose }: RowChange & { onClose: () => void }) {
  const Shown = what === 'edit' ? EditTeachingDialog : DeleteTeachingDialog
  return <Shown teaching={teaching} onClose={onClose} />
}
