import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Ellipsis, Pencil, Share2, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Choice } from '../../ui/choice.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'
import { Tooltip, TooltipProvider } from '../../ui/tooltip.tsx'
import { DeleteTeachingDialog } from './delete-teaching-dialog.tsx'
import { EditTeachingDialog } from './edit-teaching-dialog.tsx'

const ShareDialog = lazyPart(async () => (await import('./share-dialog.tsx')).ShareDialog, asDialog)

/** The open dialog, with the teaching as shown when the dialog opened. */
export interface RowChange {
  what: 'edit' | 'delete'
  teaching: Teaching
}

interface RowToolsProps {
  teaching: Teaching
  /** The listening position in seconds, for a link. */
  momentOf: (teaching: Teaching) => number
  onChange: (change: RowChange) => void
  /** Further choices in the sheet of a phone; `close` closes the sheet. */
  choices: (teaching: Teaching, close: () => void) => ReactNode
}

/** Edit and delete, for signed-in users; on a phone behind one button, with share. */
export function RowTools(props: RowToolsProps) {
  return (
    <>
      <Buttons {...props} />
      <MoreSheet {...props} />
    </>
  )
}

function Buttons({ teaching, onChange }: RowToolsProps) {
  const title = shownTitle(teaching)
  return (
    <div className="flex max-sm:hidden">
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
    </div>
  )
}

function MoreSheet({ teaching, momentOf, onChange, choices }: RowToolsProps) {
  const [open, setOpen] = useState(false)
  const [moment, setMoment] = useState<number | null>(null)
  const title = shownTitle(teaching)
  const choose = (then: () => void) => () => {
    setOpen(false)
    then()
  }
  return (
    <div className="sm:hidden">
      <IconButton label={`More for ${title}`} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Ellipsis aria-hidden="true" className="size-6" />
      </IconButton>
      {open && (
        <Dialog title={title} width="narrow" onClose={() => setOpen(false)}>
          <ul className="mt-3 flex flex-col">
            <Choice
              icon={<Share2 aria-hidden="true" className="size-5 shrink-0" />}
              onClick={choose(() => setMoment(momentOf(teaching)))}
            >
              Share
            </Choice>
            {choices(teaching, () => setOpen(false))}
            <Choice
              icon={<Pencil aria-hidden="true" className="size-5 shrink-0" />}
              onClick={choose(() => onChange({ what: 'edit', teaching }))}
            >
              Edit
            </Choice>
            <Choice
              danger
              icon={<Trash2 aria-hidden="true" className="size-5 shrink-0" />}
              onClick={choose(() => onChange({ what: 'delete', teaching }))}
            >
              Delete
            </Choice>
          </ul>
        </Dialog>
      )}
      {moment !== null && <ShareDialog teaching={teaching} moment={moment} onClose={() => setMoment(null)} />}
    </div>
  )
}

export function ChangeDialog({ what, teaching, onClose }: RowChange & { onClose: () => void }) {
  const Shown = what === 'edit' ? EditTeachingDialog : DeleteTeachingDialog
  return <Shown teaching={teaching} onClose={onClose} />
}
