import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Pause, Play } from 'lucide-react'
import { classNames } from '../../../lib/class-names.ts'
import { isSounding } from './player-state.ts'
import { playableOf } from './recording-of.ts'
import { usePlayer, usePlayerState } from './use-player.ts'

/** Plays a teaching from any page: the bar at the bottom edge has the controls. Renders nothing if there is no audio. */
export function PlayDisc({ teaching }: { teaching: ListedTeaching }) {
  const player = usePlayer()
  const isOpen = usePlayerState(player, (state) => state.recording?.uid === teaching.uid)
  const status = usePlayerState(player, (state) => state.status)
  const recording = playableOf(teaching)
  if (!recording) return null
  const sounding = isOpen && isSounding(status)
  const press = () => {
    if (!isOpen) player?.toggle(recording)
    else if (sounding) player?.pause()
    else player?.play()
  }
  const Icon = sounding ? Pause : Play
  return (
    <button
      type="button"
      aria-label={`${sounding ? 'Pause' : 'Play'} ${recording.title}`}
      onClick={press}
      className="inline-flex size-13 shrink-0 items-center justify-center rounded-full bg-pine text-on-pine shadow-soft transition-colors hover:bg-pine-strong forced-colors:border"
    >
      <Icon className={classNames('size-6 fill-current', !sounding && 'ml-0.5')} />
    </button>
  )
}
