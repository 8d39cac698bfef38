import { useCallback, useState, type ReactNode } from 'react'
import { clockTime, spokenTime } from '../../../lib/clock-time.ts'
import { classNames } from '../../../lib/class-names.ts'
import { Slider } from '../../../ui/slider.tsx'
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
