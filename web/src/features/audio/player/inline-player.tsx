import { Maximize2 } from 'lucide-react'
import { type Ref, useRef } from 'react'
import { DownloadButton } from '../saved/download-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { largePlayer, useReportSight } from './inline-sight.ts'
import { PlaybackNotes } from './playback-notes.tsx'
import { PlayPause, Skip } from './player-controls.tsx'
import { skipBackSeconds, skipForwardSeconds, type Player, type Playable } from './player-state.ts'
import { PositionSlider, type Picture } from './position-slider.tsx'
import { SleepSelect } from './sleep-select.tsx'
import { SpeedSelect } from './speed-select.tsx'
import { usePlayerState } from './use-player.ts'

interface InlinePlayerProps {
  player: Player
  recording: Playable
  /** Drawn behind the slider. */
  picture?: Picture | undefined
  playButton?: Ref<HTMLButtonElement>
}

/** The player of a row or of a teaching's page: two lines on a phone, one under the slider on wider screens. */
export function InlinePlayer({ player, recording, picture, playButton }: InlinePlayerProps) {
  const status = usePlayerState(player, (state) => state.status)
  const section = useRef<HTMLElement>(null)
  useReportSight(section)
  return (
    <section
      ref={section}
      aria-label={`Player: ${recording.title}`}
      className="animate-rise rounded-card bg-sunk p-3 sm:p-5 print:hidden"
    >
      <PositionSlider player={player} below={picture !== undefined} behind={picture} />
      <div className="mt-1 flex flex-wrap items-center justify-center gap-x-2 gap-y-3 sm:mt-2 sm:justify-start">
        <Skip player={player} seconds={-skipBackSeconds} className="size-13" />
        <PlayPause player={player} status={status} ref={playButton} />
        <Skip player={player} seconds={skipForwardSeconds} className="size-13" />
        <div className="flex w-full min-w-0 flex-wrap justify-center gap-2 sm:w-auto sm:grow sm:justify-end">
          <SpeedSelect player={player} />
          <SleepSelect player={player} />
          <DownloadButton recording={recording} />
          <IconButton
            label="Open the large player, with notes"
            icon={Maximize2}
            aria-haspopup="dialog"
            onClick={() => largePlayer.set(true)}
          />
        </div>
      </div>
      <PlaybackNotes player={player} />
    </section>
  )
}
