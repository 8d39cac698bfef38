import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Ellipsis } from 'lucide-react'
import { lazy, useState, type ReactNode } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'

const RowMoreSheet = lazy(() => import('./row-more-sheet.tsx').then((m) => ({ default: m.RowMoreSheet })))

interface RowMoreProps {
  teaching: Teaching
  /** Share, which a phone has no room for in the row. */
  share: (close: () => void) => ReactNode
  /** Plays on from it, where it belongs to something. */
  play?: ((close: () => void) => ReactNode) | undefined
  /** Choices of people who may edit. */
  more?: ((close: () => void) => ReactNode) | undefined
}

/** What can be done with a teaching besides playing and saving it, behind one button of its row. */
export function RowMore({ teaching, share, play, more }: RowMoreProps) {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <IconButton
        label={`More for ${shownTitle(teaching)}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {icon}
      </IconButton>
      {open && (
        <LazyPart onFailed={close}>
          <RowMoreSheet
            teaching={teaching}
            share={share(close)}
            play={play?.(close)}
            more={more?.(close)}
            onClose={close}
          />
        </LazyPart>
      )}
    </>
  )
}

const icon = <Ellipsis aria-hidden="true" className="size-6" />
