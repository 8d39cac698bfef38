import { useRef } from 'react'
import { DownloadButton } from '../saved/download-button.tsx'
import { useReportSight } from './inline-sight.ts'
import { PlaybackNotes } from './playback-notes.tsx'
import { PlayPause, Skip } from './player-controls.tsx'
import { skipBackSeconds, skipForwardSeconds, type Player, type Playable } from './player-state.ts'
import { PositionSlider } from './position-slider.tsx'
import { SleepSelect } from './sleep-select.tsx'
import { SpeedSelect } from './speed-select.tsx'
import { usePlayerState } from './use-player.ts'

/** The player inside the row of its teaching: two lines on a phone, one under the slider on wider screens. */
export function InlinePlayer({ player, recording }: { player: Player; recording: Playable }) {
  const status = usePlayerState(player, (state) => state.status)
  const section = useRef<HTMLElement>(null)
  useReportSight(section)
  return (
    <section
      ref={section}
      aria-label={`Player: ${recording.title}`}
      className="animate-rise rounded-card bg-sunk p-3 sm:p-5 print:hidden"
    >
      <PositionSlider player={player} />
      <div className="mt-1 flex flex-wrap items-center justify-center gap-x-2 gap-y-3 sm:mt-2 sm:justify-start">
        <Skip player={player} seconds={-skipBackSeconds} className="size-13" />
        <PlayPause player={player} status={status} />
        <Skip player={player} seconds={skipForwardSeconds} className="size-13" />
        <div className="flex w-full min-w-0 flex-wrap justify-center gap-2 sm:ml-1 sm:w-auto sm:grow sm:justify-end">
          <SpeedSelect player={player} />
          <SleepSelect player={player} />
          <DownloadButton recording={recording} />
        </div>
      </div>
      <PlaybackNotes player={player} />
    </section>
  )
}
