import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Ellipsis } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'

interface RowMoreProps {
  teaching: ListedTeaching
  /** The choices, by what closes them. */
  sheet: (close: () => void) => ReactNode
}

/** What can be done with a teaching besides playing and saving it, behind one button of its row. */
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

const icon = <Ellipsis aria-hidden="true" className="size-6" />
