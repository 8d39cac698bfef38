import { Pause, Play, RotateCcw, RotateCw } from 'lucide-react'
import { classNames } from '../../../lib/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import type { Player, PlayerStatus } from './player-state.ts'

interface PlayPauseProps {
  player: Player
  status: PlayerStatus
  className?: string
}

export function PlayPause({ player, status, className = 'size-13' }: PlayPauseProps) {
  if (status === 'loading') {
    return (
      <IconButton kind="solid" label="Loading, pause" className={className} onClick={player.pause}>
        <Spinner size="small" />
      </IconButton>
    )
  }
  return status === 'playing' ? (
    <IconButton kind="solid" label="Pause" className={className} onClick={player.pause}>
      <Pause className="size-6 fill-current" />
    </IconButton>
  ) : (
    <IconButton kind="solid" label="Play" className={className} onClick={player.play}>
      <Play className="ml-0.5 size-6 fill-current" />
    </IconButton>
  )
}

interface SkipProps {
  player: Player
  /** Skips back if negative. */
  seconds: number
  className?: string
}

export function Skip({ player, seconds, className }: SkipProps) {
  const back = seconds < 0
  const Icon = back ? RotateCcw : RotateCw
  return (
    <IconButton
      label={back ? `Back ${-seconds} seconds` : `Forward ${seconds} seconds`}
      className={classNames('relative text-ink', className)}
      onClick={() => player.skip(seconds)}
    >
      <Icon strokeWidth={1.5} className="size-8" />
      <span aria-hidden="true" className="absolute text-[0.625rem] font-semibold">
        {Math.abs(seconds)}
      </span>
    </IconButton>
  )
}
