import { Dialog } from '../../../ui/dialog.tsx'
import type { Player } from '../player/player-state.ts'
import { UpNextList } from './up-next-list.tsx'

export function UpNextSheet({ player, onClose }: { player: Player; onClose: () => void }) {
  return (
    <Dialog title="Up next" onClose={onClose}>
      <UpNextList player={player} />
    </Dialog>
  )
}
