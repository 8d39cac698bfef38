import { Pause, Play, RotateCcw } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import type { ReadPlayer } from './read-along.tsx'

/** The player, as far as the editor needs it. */
export interface SoundPlayer extends ReadPlayer {
  state: () => { position: number; status: string }
  pause: () => void
}

/** Of the whole page: it may have the recording of another teaching. */
export interface SharedPlayer extends SoundPlayer {
  state: () => { position: number; status: string; recording: { uid: string } | null | undefined }
}

/** The player of the page, silent and at the beginning while it has another recording. */
export const playerOf = (player: SharedPlayer, uid: string): SoundPlayer => ({
  subscribe: player.subscribe,
  state: () => (player.state().recording?.uid === uid ? player.state() : silence),
  pause: () => player.pause(),
})

const silence = { position: 0, status: 'idle' }

/** Seconds that one press goes back. */
export const backSeconds = 3

/** The dialog covers the player: it can be paused, played on, and heard again here. */
export function SoundControls({
  player,
  onPlay,
}: {
  player: SoundPlayer
  onPlay: (seconds: number) => void
}) {
  const isSounding = useSyncExternalStore(player.subscribe, () =>
    ['playing', 'loading'].includes(player.state().status),
  )
  return (
    <>
      <IconButton
        label={isSounding ? 'Pause' : 'Play'}
        kind="solid"
        icon={isSounding ? Pause : Play}
        onClick={() => (isSounding ? player.pause() : onPlay(player.state().position))}
      />
      <IconButton
        label={`Back ${backSeconds} seconds`}
        icon={RotateCcw}
        onClick={() => onPlay(Math.max(0, player.state().position - backSeconds))}
      />
    </>
  )
}
