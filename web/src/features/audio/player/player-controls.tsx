import { Pause, Play, RotateCcw, RotateCw } from 'lucide-react'
import type { Ref } from 'react'
import { classNames } from '../../../lib/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import type { Player, PlayerStatus } from './player-state.ts'

interface PlayPauseProps {
  player: Player
  status: PlayerStatus
  className?: string
  ref?: Ref<HTMLButtonElement> | undefined
}

export function PlayPause({ player, status, className = 'size-13', ref }: PlayPauseProps) {
  const { label, sign, press } = signs[status === 'loading' || status === 'playing' ? status : 'paused']
  return (
    <IconButton ref={ref} kind="solid" label={label} className={className} onClick={player[press]}>
      {sign}
    </IconButton>
  )
}

const signs = {
  loading: { label: 'Loading, pause', press: 'pause', sign: <Spinner size="small" /> },
  playing: { label: 'Pause', press: 'pause', sign: <Pause className="size-6 fill-current" /> },
  paused: { label: 'Play', press: 'play', sign: <Play className="ml-0.5 size-6 fill-current" /> },
} as const

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
