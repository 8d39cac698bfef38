import { useCallback, useRef, useState } from 'react'
import { clockTime, spokenTime } from '../../../lib/clock-time.ts'
import { Select } from '../../../ui/field.tsx'
import { Slider } from '../../../ui/slider.tsx'
import { DownloadButton } from '../saved/download-button.tsx'
import { useReportSight } from './inline-sight.ts'
import { PlaybackNotes } from './playback-notes.tsx'
import { PlayPause, Skip } from './player-controls.tsx'
import { skipBackSeconds, skipForwardSeconds, type Player, type Recording } from './player-state.ts'
import { SleepSelect } from './sleep-select.tsx'
import { speeds } from './speeds.ts'
import { usePlayerState } from './use-player.ts'

interface InlinePlayerProps {
  player: Player
  recording: Recording
}

/** The player inside the row of its teaching. */
export function InlinePlayer({ player, recording }: InlinePlayerProps) {
  const status = usePlayerState(player, (state) => state.status)
  const section = useRef<HTMLElement>(null)
  useReportSight(section)
  return (
    <section
      ref={section}
      aria-label={`Player: ${recording.title}`}
      className="animate-rise rounded-card bg-sunk p-3 sm:p-5"
    >
      <Position player={player} />
      <div className="mt-2 flex flex-wrap items-center gap-x-1 gap-y-3 sm:gap-x-2">
        <Skip player={player} seconds={-skipBackSeconds} className="sm:size-13" />
        <PlayPause player={player} status={status} />
        <Skip player={player} seconds={skipForwardSeconds} className="sm:size-13" />
        <Speed player={player} />
        <div className="flex min-w-0 grow flex-wrap justify-end gap-3 *:min-w-0 *:grow sm:*:grow-0">
          <SleepSelect player={player} />
          <DownloadButton recording={recording} />
        </div>
      </div>
      <PlaybackNotes player={player} />
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
