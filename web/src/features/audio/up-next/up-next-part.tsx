import { SkipBack, SkipForward } from 'lucide-react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useUpNext } from '../../listening/up-next.ts'
import type { Player } from '../player/player-state.ts'
import { usePlayerState } from '../player/use-player.ts'
import { playOnOf } from './play-on.ts'
import { UpNextList } from './up-next-list.tsx'

/** The list in the full-screen player, with buttons for the previous and the next teaching. */
export function UpNextPart({ player }: { player: Player }) {
  const open = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const hasNext = useUpNext()?.teachings.some(({ uid }) => uid !== open) ?? false
  const { next, previous } = playOnOf(player)
  return (
    <section aria-labelledby="up-next-title" className="mt-6 border-t border-line pt-5">
      <div className="flex items-center justify-between gap-2">
        <h3 id="up-next-title" className="text-lg">
          Up next
        </h3>
        <div className="flex">
          <IconButton label="Previous teaching" icon={SkipBack} className="text-ink" onClick={previous} />
          <IconButton
            label="Next teaching"
            icon={SkipForward}
            className="text-ink"
            disabled={!hasNext}
            onClick={next}
          />
        </div>
      </div>
      <UpNextList player={player} />
    </section>
  )
}
