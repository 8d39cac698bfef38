import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Ellipsis } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'

interface RowMoreProps {
  teaching: ListedTeaching
  /** Renders the choices; `close` closes the sheet. */
  sheet: (close: () => void) => ReactNode
}

/** The row's button for all actions but playing and saving. */
export function RowMore({ teaching, sheet }: RowMoreProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <IconButton
        label={`More for ${shownTitle(teaching)}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {icon}
      </IconButton>
      {open && sheet(() => setOpen(false))}
    </>
  )
}

const icon = <Ellipsis className="size-6" />
