import { counted } from '@fellowship/schema/counted'
import { ListOrdered } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { asDialog, lazyPart } from '../../../ui/lazy-part.tsx'
import { useUpNext } from '../../listening/up-next.ts'
import type { Player } from '../player/player-state.ts'
import { usePlayerState } from '../player/use-player.ts'

const UpNextSheet = lazyPart(async () => (await import('./up-next-sheet.tsx')).UpNextSheet, asDialog)

/** Opens the list from the bar, while there is one. */
export function UpNextButton({ player }: { player: Player }) {
  const open = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const [isShown, setShown] = useState(false)
  const count = useUpNext()?.teachings.filter(({ uid }) => uid !== open).length ?? 0
  return (
    <>
      {count > 0 && (
        <IconButton
          label={`Up next: ${counted(count, 'teaching')}`}
          aria-haspopup="dialog"
          // On a phone the full-screen player has the list.
          className="max-sm:hidden"
          onClick={() => setShown(true)}
        >
          <ListOrdered aria-hidden="true" className="size-5" />
        </IconButton>
      )}
      {isShown && <UpNextSheet player={player} onClose={() => setShown(false)} />}
    </>
  )
}
