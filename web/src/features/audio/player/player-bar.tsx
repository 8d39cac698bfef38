import { ChevronUp, X } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { clockTime } from '../../../lib/clock-time.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { asDialog, lazyPart } from '../../../ui/lazy-part.tsx'
import { BarFrame } from './bar-frame.tsx'
import { UpNextButton } from '../up-next/up-next-button.tsx'
import { ContinueBar } from './continue-bar.tsx'
import { PlayPause, Skip } from './player-controls.tsx'
import { useInlineInSight } from './inline-sight.ts'
import { skipBackSeconds, skipForwardSeconds, type Player } from './player-state.ts'
import { usePlayer, usePlayerState } from './use-player.ts'

const FullPlayer = lazyPart(async () => (await import('./full-player.tsx')).FullPlayer, asDialog)

interface PlayerBarProps {
  /** Whether the page offers the teaching that was left unfinished while nothing is open. */
  offersContinue: boolean
  onShow: (uid: string) => void
  onManage: () => void
  /** The share button, for the full-screen player. */
  share: (teaching: Teaching, momentOf: () => number) => ReactNode
}

/** The open teaching in one line at the bottom of every page, while its own row is out of sight. */
export function PlayerBar({ offersContinue, onShow, onManage, share }: PlayerBarProps) {
  const player = usePlayer()
  const uid = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const inSight = useInlineInSight()
  const [isFull, setFull] = useState(false)
  if (isFull && uid === null) setFull(false)
  usePlayOn(player, uid !== null)
  if (!player) return null
  if (uid === null) return offersContinue ? <ContinueBar player={player} /> : null
  return (
    <>
      {!inSight && <Bar player={player} onOpen={() => setFull(true)} />}
      {isFull && (
        <FullPlayer
          player={player}
          share={share}
          onClose={() => setFull(false)}
          onShow={() => onShow(uid)}
          onManage={onManage}
        />
      )}
    </>
  )
}

/** Connects Up next to the player; if that code cannot be loaded, playback stops at the end of the recording. */
function usePlayOn(player: Player | null, isOpen: boolean): void {
  useEffect(() => {
    if (player && isOpen) void import('../up-next/play-on.ts').then((part) => part.playOnOf(player), nothing)
  }, [player, isOpen])
}

const nothing = () => undefined

function Bar({ player, onOpen }: { player: Player; onOpen: () => void }) {
  const status = usePlayerState(player, (state) => state.status)
  const title = usePlayerState(player, (state) => state.recording?.title ?? '')
  const speaker = usePlayerState(player, (state) => state.recording?.speaker ?? '')
  const share = usePlayerState(player, ({ position, duration }) =>
    duration ? Math.round((position / duration) * 1000) / 1000 : 0,
  )
  return (
    <BarFrame label={`Player: ${title}`} share={share}>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={onOpen}
        className="group flex min-h-13 min-w-0 grow items-center gap-2 rounded-card text-left"
      >
        <span className="sr-only">Open the player: </span>
        <span className="min-w-0">
          <span className="block truncate font-serif text-lg leading-snug group-hover:text-pine">
            {title}
          </span>
          <span className="block truncate text-small text-soft">
            {status === 'failed' ? <span className="text-brick">Playback stopped</span> : speaker}
            <Time player={player} />
          </span>
        </span>
        <ChevronUp aria-hidden="true" className="size-5 shrink-0 text-soft max-sm:hidden" />
      </button>
      {/* If large text leaves no room for the button beside them, only the full-screen player has them. */}
      <Skip player={player} seconds={-skipBackSeconds} className="@max-[16rem]:hidden" />
      <PlayPause player={player} status={status} className="size-12" />
      <Skip player={player} seconds={skipForwardSeconds} className="max-sm:-mr-2 @max-[16rem]:hidden" />
      <UpNextButton player={player} />
      {/* On a phone only the full-screen player has this button. */}
      <IconButton label="Close the player" onClick={player.close} className="-mr-3 max-sm:hidden">
        <X aria-hidden="true" className="size-5" />
      </IconButton>
    </BarFrame>
  )
}

function Time({ player }: { player: Player }) {
  const position = usePlayerState(player, (state) => Math.floor(state.position))
  const duration = usePlayerState(player, (state) => state.duration)
  return (
    <span className="tabular-nums max-[22rem]:hidden">
      {' · '}
      {clockTime(position)}
      <span className="max-sm:hidden"> of {clockTime(duration)}</span>
    </span>
  )
}
