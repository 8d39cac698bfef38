import { Play, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { clockTime } from '../../../lib/clock-time.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { BarFrame } from './bar-frame.tsx'
import type { Player } from './player-state.ts'
import { playableOf } from './recording-of.ts'
import type { Unfinished } from './unfinished.device.ts'

/** Whether the user dismissed the bar; it is not offered again until the next page load. */
let putAway = false

/** Offers the teaching that was left unfinished, in the place of the player: one press plays on. */
export function ContinueBar({ player }: { player: Player }) {
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
        onClick={() => player.toggle(recording)}
        className="group flex min-h-13 min-w-0 grow items-center gap-3 rounded-card text-left"
      >
        <span className="inline-flex size-12 shrink-0 items-center justify-center rounded-full bg-pine text-on-pine transition-colors group-hover:bg-pine-strong forced-colors:border">
          <Play aria-hidden="true" className="ml-0.5 size-5 fill-current" />
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
      <IconButton label="Not now" onClick={close} className="-mr-3">
        <X aria-hidden="true" className="size-5" />
      </IconButton>
    </BarFrame>
  )
}

function useUnfinished(): Unfinished | null {
  const [unfinished, setUnfinished] = useState<Unfinished | null>(null)
  useEffect(() => {
    let isOver = false
    let stop: (() => void) | undefined
    import('./unfinished.device.ts').then(
      ({ watchUnfinished }) => {
        if (!isOver) stop = watchUnfinished(setUnfinished)
      },
      // If this code cannot be loaded, nothing is offered.
      () => undefined,
    )
    return () => {
      isOver = true
      stop?.()
    }
  }, [])
  return unfinished
}
