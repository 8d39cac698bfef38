import { useSyncExternalStore } from 'react'
import { useAudioElement } from './audio-element.tsx'
import { playerOf } from './player.ts'
import type { Player, PlayerState } from './player-state.ts'

/** The player; null for the moment before its element is in the page. */
export function usePlayer(): Player | null {
  const audio = useAudioElement()
  return audio && playerOf(audio)
}

/** One value of the player's state: a component that shows the title does not render at every change of the position. */
export function usePlayerState<Value extends string | number | boolean | null>(
  player: Player | null,
  select: (state: PlayerState) => Value,
): Value | null {
  const read = () => (player ? select(player.state()) : null)
  return useSyncExternalStore(player?.subscribe ?? never, read, read)
}

const never = () => () => undefined
