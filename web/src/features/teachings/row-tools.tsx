import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Tooltip, TooltipProvider } from '../../ui/tooltip.tsx'
import { DeleteTeachingDialog } from './delete-teaching-dialog.tsx'
import { EditTeachingDialog } from './edit-teaching-dialog.tsx'
import { shownTitle } from './shown-title.ts'

/** Edit and delete, for signed-in people. */
export function RowTools({ teaching }: { teaching: Teaching }) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const title = shownTitle(teaching)
  const close = () => setOpen(null)
  return (
    <TooltipProvider>
      <Tooltip text="Edit">
        <IconButton label={`Edit ${title}`} aria-haspopup="dialog" onClick={() => setOpen('edit')}>
          <Pencil aria-hidden="true" className="size-5" />
        </IconButton>
      </Tooltip>
      <Tooltip text="Delete">
        <IconButton
          kind="danger"
          label={`Delete ${title}`}
          aria-haspopup="dialog"
          onClick={() => setOpen('delete')}
        >
          <Trash2 aria-hidden="true" className="size-5" />
        </IconButton>
      </Tooltip>
      {open === 'edit' && <EditTeachingDialog teaching={teaching} onClose={close} />}
      {open === 'delete' && <DeleteTeachingDialog teaching={teaching} onClose={close} />}
    </TooltipProvider>
  )
}
