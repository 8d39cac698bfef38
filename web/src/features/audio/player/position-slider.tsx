import { type ReactNode, useEffect, useRef, useState } from 'react'
import { classNames } from '../../../lib/class-names.ts'
import { clockTime, spokenTime } from '../../../lib/clock-time.ts'
import { listen } from '../../../lib/listen.ts'
import type { Player } from './player-state.ts'
import { usePlayerState } from './use-player.ts'

/** Draws the sound of a whole recording, given the heard share from 0 to 1. */
export type Picture = (share: number) => ReactNode

interface PositionSliderProps {
  player: Player
  below?: boolean
  /** Without it the slider is a line. */
  behind?: Picture | undefined
}

/** Shows and sets the position; the times stand beside the slider, or below it if there is more room. */
export function PositionSlider({ player, below = false, behind }: PositionSliderProps) {
  // Once a second: text and thumb change in the same frame.
  const position = usePlayerState(player, (state) => Math.floor(state.position))
  const duration = usePlayerState(player, (state) => state.duration)
  /** While the thumb is dragged it follows the pointer, and ignores the position. */
  const [held, setHeld] = useState<number | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const total = duration ?? 0
  const now = held ?? position
  // React's onChange is the native `input` event; the native `change` is fired once, at the end, by pointer, key or voice.
  useEffect(() => {
    const element = input.current!
    return listen(element, ['change'], () => {
      setHeld(null)
      player.seek(Number(element.value))
    })
  }, [player])
  const slider = (
    <input
      ref={input}
      type="range"
      min={0}
      max={Math.floor(total)}
      step={1}
      value={Math.min(Math.round(now), Math.floor(total))}
      disabled={duration === null}
      aria-label="Position"
      aria-valuetext={`${spokenTime(now)} of ${spokenTime(total)}`}
      onChange={(event) => setHeld(Number(event.target.value))}
      className={classNames(
        'w-full min-w-0 cursor-pointer disabled:opacity-50',
        behind ? 'over-picture' : 'h-11 accent-pine',
      )}
    />
  )
  if (below) {
    return (
      <div className="text-small text-soft tabular-nums">
        <div className={behind && 'relative h-16'}>
          {behind && <div className="under-slider">{behind(total > 0 ? now / total : 0)}</div>}
          {slider}
        </div>
        <div className={classNames('flex justify-between', behind ? 'mt-2' : '-mt-1')}>
          <span>{clockTime(now)}</span>
          <span>{duration === null ? clockTime(null) : `${clockTime(Math.max(0, total - now))} left`}</span>
        </div>
      </div>
    )
  }
  return (
    <div className="flex items-center gap-3 text-small text-soft tabular-nums">
      <span className="min-w-10 shrink-0 text-right">{clockTime(now)}</span>
      {slider}
      <span className="min-w-10 shrink-0">{clockTime(duration)}</span>
    </div>
  )
}
