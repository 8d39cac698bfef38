import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Pause, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../../../lib/class-names.ts'
import { Button } from '../../../ui/button.tsx'
import { isSounding } from './player-state.ts'
import { playableOf } from './recording-of.ts'
import { usePlayer, usePlayerState } from './use-player.ts'

/** Plays a teaching from any page: the bar at the bottom edge has the controls. Renders nothing if there is no audio. */
export function PlayDisc({ teaching }: { teaching: ListedTeaching }) {
  const { recording, sounding, press } = usePress(teaching)
  if (!recording) return null
  return (
    <button
      type="button"
      aria-label={`${sounding ? 'Pause' : 'Play'} ${recording.title}`}
      onClick={press}
      className="inline-flex size-13 shrink-0 items-center justify-center rounded-full bg-pine text-on-pine shadow-soft transition-colors hover:bg-pine-strong forced-colors:border"
    >
      <Sign sounding={sounding} className="size-6" />
    </button>
  )
}

/** As the disc, with words: "Pause" while it plays. */
export function PlayWords({ teaching, children }: { teaching: ListedTeaching; children: ReactNode }) {
  const { recording, sounding, press } = usePress(teaching)
  if (!recording) return null
  return (
    <Button onClick={press}>
      <Sign sounding={sounding} className="size-5" />
      {sounding ? 'Pause' : children}
    </Button>
  )
}

function Sign({ sounding, className }: { sounding: boolean; className: string }) {
  const Icon = sounding ? Pause : Play
  return <Icon className={classNames('fill-current', className, !sounding && 'ml-0.5')} />
}

function usePress(teaching: ListedTeaching) {
  const player = usePlayer()
  const isOpen = usePlayerState(player, (state) => state.recording?.uid === teaching.uid)
  const status = usePlayerState(player, (state) => state.status)
  const recording = playableOf(teaching)
  const sounding = isOpen && isSounding(status)
  const press = () => {
    if (!isOpen) {
      // Chosen now: since this was rendered, a recording may have been saved, or those on the device have been read.
      const chosen = playableOf(teaching)
      if (chosen) player?.toggle(chosen)
    } else if (sounding) player?.pause()
    else player?.play()
  }
  return { recording, sounding, press }
}
