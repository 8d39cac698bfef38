import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { ListeningChoices } from './listening-choices.tsx'

interface RowMoreSheetProps {
  teaching: Teaching
  share: ReactNode
  play: ReactNode
  more: ReactNode
  onClose: () => void
}

export function RowMoreSheet({ teaching, share, play, more, onClose }: RowMoreSheetProps) {
  return (
    <Dialog title={shownTitle(teaching)} width="narrow" onClose={onClose}>
      <ul className="mt-3 flex flex-col">
        {share}
        {play}
        <ListeningChoices teaching={teaching} onDone={onClose} />
        {more}
      </ul>
    </Dialog>
  )
}
