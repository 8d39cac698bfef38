import { Pause, Play, RotateCcw, RotateCw } from 'lucide-react'
import { useCallback, useState } from 'react'
import { clockTime, spokenTime } from '../../lib/clock-time.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Slider } from '../../ui/slider.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DownloadButton } from './download-button.tsx'
import {
  skipBackSeconds,
  skipForwardSeconds,
  speeds,
  type Player,
  type PlayerStatus,
  type Recording,
} from './player.ts'
import { usePlayerState } from './use-player.ts'

interface InlinePlayerProps {
  player: Player
  recording: Recording
}

/** The player inside the row of its teaching. */
export function InlinePlayer({ player, recording }: InlinePlayerProps) {
  const status = usePlayerState(player, (state) => state.status)
  return (
    <section
      aria-label={`Player: ${recording.title}`}
      className="animate-rise rounded-card bg-sunk p-3 sm:p-5"
    >
      <Position player={player} />
      <div className="mt-2 flex flex-wrap items-center gap-x-1 gap-y-3 sm:gap-x-2">
        <Skip player={player} seconds={-skipBackSeconds} />
        <PlayPause player={player} status={status} />
        <Skip player={player} seconds={skipForwardSeconds} />
        <Speed player={player} />
        <div className="flex grow justify-end *:grow sm:*:grow-0">
          <DownloadButton recording={recording} />
        </div>
      </div>
      {status === 'failed' && <Failure onRetry={player.play} />}
    </section>
  )
}

function Position({ player }: { player: Player }) {
  const position = usePlayerState(player, (state) => state.position) ?? 0
  const duration = usePlayerState(player, (state) => state.duration)
  const [held, setHeld] = useState<number | null>(null)
  const commit = useCallback((seconds: number) => player.seek(seconds), [player])
  const total = duration ?? 0
  return (
    <div className="flex items-center gap-3 text-small text-soft tabular-nums">
      <span className="min-w-12 text-right">{clockTime(held ?? position)}</span>
      <Slider
        label="Position"
        valueText={(seconds) => `${spokenTime(seconds)} of ${spokenTime(total)}`}
        max={Math.floor(total)}
        value={position}
        disabled={duration === null}
        onSlide={setHeld}
        onCommit={commit}
      />
      <span className="min-w-12">{clockTime(duration)}</span>
    </div>
  )
}

function PlayPause({ player, status }: { player: Player; status: PlayerStatus | null }) {
  if (status === 'loading') {
    return (
      <IconButton kind="solid" label="Loading, pause" className="size-13" onClick={player.pause}>
        <Spinner size="small" />
      </IconButton>
    )
  }
  return status === 'playing' ? (
    <IconButton kind="solid" label="Pause" className="size-13" onClick={player.pause}>
      <Pause aria-hidden="true" className="size-6 fill-current" />
    </IconButton>
  ) : (
    <IconButton kind="solid" label="Play" className="size-13" onClick={player.play}>
      <Play aria-hidden="true" className="ml-0.5 size-6 fill-current" />
    </IconButton>
  )
}

function Skip({ player, seconds }: { player: Player; seconds: number }) {
  const back = seconds < 0
  const Icon = back ? RotateCcw : RotateCw
  return (
    <IconButton
      label={back ? `Back ${-seconds} seconds` : `Forward ${seconds} seconds`}
      className="relative text-ink sm:size-13"
      onClick={() => player.skip(seconds)}
    >
      <Icon aria-hidden="true" strokeWidth={1.5} className="size-8" />
      <span aria-hidden="true" className="absolute text-[0.625rem] font-semibold">
        {Math.abs(seconds)}
      </span>
    </IconButton>
  )
}

function Speed({ player }: { player: Player }) {
  const speed = usePlayerState(player, (state) => state.speed) ?? 1
  return (
    <div className="ml-auto sm:ml-1">
      <Select
        aria-label="Speed"
        className="pr-9! pl-3!"
        value={speed}
        onChange={(event) => player.setSpeed(Number(event.target.value))}
      >
        {speeds.map((choice) => (
          <option key={choice} value={choice}>
            {choice}×
          </option>
        ))}
      </Select>
    </div>
  )
}

function Failure({ onRetry }: { onRetry: () => void }) {
  return (
    <div
      role="alert"
      className="mt-4 flex flex-wrap items-center justify-between gap-3 rounded-card bg-brick-tint px-4 py-3"
    >
      <p className="text-brick">This recording could not be played. Check your connection and try again.</p>
      <Button kind="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
