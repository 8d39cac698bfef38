import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { classNames } from '../../../lib/class-names.ts'
import { clockTime, spokenTime } from '../../../lib/clock-time.ts'
import type { Player } from './player-state.ts'
import { usePlayerState } from './use-player.ts'

interface PositionSliderProps {
  player: Player
  below?: boolean
  /** A picture behind the slider, by the share that was heard; without it the slider is a line. */
  behind?: ((share: number) => ReactNode) | undefined
}

/** Shows and sets the position; the times stand beside the slider, or below it if there is more room. */
export function PositionSlider({ player, below = false, behind }: PositionSliderProps) {
  const position = usePlayerState(player, (state) => state.position)
  const duration = usePlayerState(player, (state) => state.duration)
  const [held, setHeld] = useState<number | null>(null)
  const commit = useCallback((seconds: number) => player.seek(seconds), [player])
  const total = duration ?? 0
  const now = held ?? position
  const slider = (
    <Slider
      label="Position"
      valueText={(seconds) => `${spokenTime(seconds)} of ${spokenTime(total)}`}
      max={Math.floor(total)}
      value={position}
      disabled={duration === null}
      bare={behind !== undefined}
      onSlide={setHeld}
      onCommit={commit}
    />
  )
  if (below) {
    return (
      <div className="text-small text-soft tabular-nums">
        <div className={behind && 'relative h-16'}>
          {behind && (
            <div className="absolute inset-x-0.5 inset-y-1">{behind(total > 0 ? now / total : 0)}</div>
          )}
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

interface SliderProps {
  label: string
  /** The value in words, for screen readers. */
  valueText: (value: number) => string
  max: number
  value: number
  disabled?: boolean
  /** Without a track of its own: the caller draws one behind it, and its height. */
  bare?: boolean
  /** Called while the thumb is dragged, and with null at the end. */
  onSlide?: (value: number | null) => void
  /** Called once at the end of a change by pointer, key or voice. */
  onCommit: (value: number) => void
}

/** A range slider. While it is dragged it follows the pointer and ignores `value`. */
function Slider({ label, valueText, max, value, disabled, bare, onSlide, onCommit }: SliderProps) {
  const [dragged, setDragged] = useState<number | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = dragged ?? value

  // React's onChange is the native `input` event; the native `change` is fired once, at the end.
  useEffect(() => {
    const element = input.current
    const commit = () => {
      setDragged(null)
      onSlide?.(null)
      if (element) onCommit(Number(element.value))
    }
    element?.addEventListener('change', commit)
    return () => element?.removeEventListener('change', commit)
  }, [onCommit, onSlide])

  return (
    <input
      ref={input}
      type="range"
      min={0}
      max={max}
      step={1}
      value={Math.min(Math.round(shown), max)}
      disabled={disabled}
      aria-label={label}
      aria-valuetext={valueText(shown)}
      onChange={(event) => {
        setDragged(Number(event.target.value))
        onSlide?.(Number(event.target.value))
      }}
      className={classNames(
        'w-full min-w-0 cursor-pointer disabled:opacity-50',
        bare ? bareClass : 'h-11 accent-pine',
      )}
    />
  )
}

/** The thumb is a line over the caller's picture: 4 px wide, so that its middle is 2 px from both ends. */
const bareClass =
  'absolute inset-0 h-full appearance-none bg-transparent rounded-card ' +
  '[&::-webkit-slider-runnable-track]:h-full [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:h-full ' +
  '[&::-webkit-slider-thumb]:w-1 [&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:bg-pine ' +
  '[&::-moz-range-track]:bg-transparent [&::-moz-range-thumb]:h-full [&::-moz-range-thumb]:w-1 ' +
  '[&::-moz-range-thumb]:rounded-full [&::-moz-range-thumb]:border-none [&::-moz-range-thumb]:bg-pine'
