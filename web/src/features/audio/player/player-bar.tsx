import { counted } from '@fellowship/schema/counted'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { ChevronUp, ListOrdered, Play, X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { clockTime } from '../../../lib/clock-time.ts'
import { runWhenLoaded } from '../../../lib/run-when-loaded.ts'
import { useStore } from '../../../lib/lazy-store.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { asDialog, lazyPart, optional } from '../../../ui/lazy-part.tsx'
import { useUpNext } from '../../listening/up-next.ts'
import { largePlayer, useInlineInSight } from './inline-sight.ts'
import { PlayPause, Skip } from './player-controls.tsx'
import { type Player, skipBackSeconds, skipForwardSeconds } from './player-state.ts'
import { playableOf } from './recording-of.ts'
import type { Unfinished } from './unfinished.device.ts'
import { usePlayer, usePlayerState } from './use-player.ts'

const AheadMark = lazyPart(() => import('./ahead-mark.tsx'), 'AheadMark', optional)
const FullPlayer = lazyPart(() => import('./full-player.tsx'), 'FullPlayer', asDialog)

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
  const isFull = useStore(largePlayer)
  useEffect(() => {
    if (uid === null) largePlayer.set(false)
  }, [uid])
  usePlayOn(player, uid !== null)
  if (!player) return null
  if (uid === null) return offersContinue ? <ContinueBar player={player} /> : null
  return (
    <>
      {!inSight && <Bar player={player} onOpen={() => largePlayer.set(true)} />}
      {isFull && (
        <FullPlayer
          player={player}
          share={share}
          onClose={() => largePlayer.set(false)}
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
            <AheadMark />
          </span>
        </span>
        <ChevronUp className="size-5 shrink-0 text-soft max-sm:hidden" />
      </button>
      {/* If large text leaves no room for the button beside them, only the full-screen player has them. */}
      <Skip player={player} seconds={-skipBackSeconds} className="@max-[16rem]:hidden" />
      <PlayPause player={player} status={status} className="size-12" />
      <Skip player={player} seconds={skipForwardSeconds} className="max-sm:-mr-2 @max-[16rem]:hidden" />
      <UpNextButton player={player} />
      {/* On a phone only the full-screen player has this button. */}
      <IconButton label="Close the player" icon={X} onClick={player.close} className="-mr-3 max-sm:hidden" />
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

/** Whether the user dismissed the bar; it is not offered again until the next page load. */
let putAway = false

/** Offers the teaching that was left unfinished, in the place of the player: one press plays on. */
function ContinueBar({ player }: { player: Player }) {
  const unfinished = useUnfinished()
  const [isAway, setAway] = useState(putAway)
  const recording = unfinished && playableOf(unfinished.teaching)
  if (!recording || isAway) return null
  const { seconds, duration } = unfinished.position
  const close = () => {
    putAway = true
    setAway(true)
  }
  return (
    <BarFrame label={`Continue listening: ${recording.title}`} share={seconds / duration}>
      <button
        type="button"
        onClick={() => player.toggle(playableOf(unfinished.teaching) ?? recording)}
        className="group flex min-h-13 min-w-0 grow items-center gap-3 rounded-card text-left"
      >
        <span className="inline-flex size-12 shrink-0 items-center justify-center rounded-full bg-pine text-on-pine transition-colors group-hover:bg-pine-strong forced-colors:border">
          <Play className="ml-0.5 size-5 fill-current" />
        </span>
        <span className="min-w-0">
          <span className="block truncate font-serif text-lg leading-snug">
            <span className="font-sans text-small font-medium text-wheat-text">Continue: </span>
            {recording.title}
          </span>
          <span className="block truncate text-small text-soft tabular-nums">
            {clockTime(duration - seconds)} left · {recording.speaker}
          </span>
        </span>
      </button>
      <IconButton label="Not now" icon={X} onClick={close} className="-mr-3" />
    </BarFrame>
  )
}

function useUnfinished(): Unfinished | null {
  const [unfinished, setUnfinished] = useState<Unfinished | null>(null)
  // If this code cannot be loaded, nothing is offered.
  useEffect(
    () =>
      runWhenLoaded(async () => {
        const { watchUnfinished } = await import('./unfinished.device.ts')
        return () => watchUnfinished(setUnfinished)
      }),
    [],
  )
  return unfinished
}

const UpNextSheet = lazyPart(() => import('../up-next/up-next-sheet.tsx'), 'UpNextSheet', asDialog)

/** Opens the list from the bar, while there is one. */
function UpNextButton({ player }: { player: Player }) {
  const open = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const [isShown, setShown] = useState(false)
  const count = useUpNext()?.teachings.filter(({ uid }) => uid !== open).length ?? 0
  return (
    <>
      {count > 0 && (
        <IconButton
          label={`Up next: ${counted(count, 'teaching')}`}
          icon={ListOrdered}
          aria-haspopup="dialog"
          // On a phone the full-screen player has the list.
          className="max-sm:hidden"
          onClick={() => setShown(true)}
        />
      )}
      {isShown && <UpNextSheet player={player} onClose={() => setShown(false)} />}
    </>
  )
}

/** The height of the bar, which the page leaves free at its bottom. */
const barHeight = '4.75rem'

interface BarFrameProps {
  label: string
  /** The share that was heard, 0 to 1: a thin line along the upper edge. */
  share: number
  children: ReactNode
}

/** One line at the bottom edge of the page. The page is longer by its height, so that nothing stays covered. */
function BarFrame({ label, share, children }: BarFrameProps) {
  useEffect(() => {
    const { body, documentElement: root } = document
    body.style.paddingBottom = `calc(${barHeight} + env(safe-area-inset-bottom))`
    root.style.scrollPaddingBottom = barHeight
    return () => {
      body.style.paddingBottom = ''
      root.style.scrollPaddingBottom = ''
    }
  }, [])
  return (
    <section
      aria-label={label}
      className="@container pointer-events-auto relative animate-rise border-t border-line bg-raised shadow-soft print:hidden"
    >
      <div
        aria-hidden="true"
        className="absolute inset-x-0 -top-px h-0.5 overflow-hidden bg-line forced-color-adjust-none"
      >
        <div className="h-full origin-left bg-pine" style={{ transform: `scaleX(${share})` }} />
      </div>
      <div className="page flex h-19 items-center gap-1 sm:gap-2">{children}</div>
    </section>
  )
}
