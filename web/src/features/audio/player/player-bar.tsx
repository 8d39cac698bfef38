import { X } from 'lucide-react'
import { useEffect } from 'react'
import { clockTime } from '../../../lib/clock-time.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { PlayPause, Skip } from './player-controls.tsx'
import { useInlineInSight } from './inline-sight.ts'
import { skipBackSeconds, skipForwardSeconds, type Player } from './player-state.ts'
import { usePlayer, usePlayerState } from './use-player.ts'

/** The height of the bar, which the page leaves free at its bottom. */
const barHeight = '4.75rem'

/** The open teaching in one line at the bottom of every page, while its own row is out of sight. */
export function PlayerBar({ onShow }: { onShow: (uid: string) => void }) {
  const player = usePlayer()
  const uid = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const inSight = useInlineInSight()
  if (!player || uid === null || inSight) return null
  return <Bar player={player} onShow={() => onShow(uid)} />
}

function Bar({ player, onShow }: { player: Player; onShow: () => void }) {
  const status = usePlayerState(player, (state) => state.status)
  const title = usePlayerState(player, (state) => state.recording?.title ?? '')
  const speaker = usePlayerState(player, (state) => state.recording?.speaker ?? '')
  useRoomBelow()
  return (
    <section
      aria-label={`Player: ${title}`}
      className="pointer-events-auto relative animate-rise border-t border-line bg-raised shadow-soft"
    >
      <Progress player={player} />
      <div className="page flex h-19 items-center gap-1 sm:gap-2">
        <button type="button" onClick={onShow} className="min-h-11 min-w-0 grow rounded-card text-left">
          <span className="sr-only">Show in the library: </span>
          <span className="block truncate font-serif text-lg leading-snug">{title}</span>
          <span className="block truncate text-small text-soft">
            {status === 'failed' ? <span className="text-brick">Playback stopped</span> : speaker}
            <Time player={player} />
          </span>
        </button>
        <Skip player={player} seconds={-skipBackSeconds} className="max-sm:hidden" />
        <PlayPause player={player} status={status} className="size-12" />
        <Skip player={player} seconds={skipForwardSeconds} className="max-sm:hidden" />
        <IconButton label="Close the player" onClick={player.close} className="-mr-3">
          <X aria-hidden="true" className="size-5" />
        </IconButton>
      </div>
    </section>
  )
}

function Time({ player }: { player: Player }) {
  const position = usePlayerState(player, (state) => Math.floor(state.position))
  const duration = usePlayerState(player, (state) => state.duration)
  return (
    <span className="tabular-nums max-[22rem]:hidden">
      {' · '}
      {clockTime(position)} of {clockTime(duration)}
    </span>
  )
}

function Progress({ player }: { player: Player }) {
  const share = usePlayerState(player, ({ position, duration }) =>
    duration ? Math.round((position / duration) * 1000) / 1000 : 0,
  )
  return (
    <div
      aria-hidden="true"
      className="absolute inset-x-0 -top-px h-0.5 overflow-hidden forced-color-adjust-none"
    >
      <div className="h-full origin-left bg-pine" style={{ transform: `scaleX(${share ?? 0})` }} />
    </div>
  )
}

/** The bar lies over nothing: the page gets as much longer, and what is scrolled to or focused stays above it. */
function useRoomBelow(): void {
  useEffect(() => {
    const { body, documentElement: root } = document
    body.style.paddingBottom = `calc(${barHeight} + env(safe-area-inset-bottom))`
    root.style.scrollPaddingBottom = barHeight
    return () => {
      body.style.paddingBottom = ''
      root.style.scrollPaddingBottom = ''
    }
  }, [])
}
