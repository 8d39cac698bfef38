import { useSyncExternalStore } from 'react'
import { useAudioElement } from './audio-element.tsx'
import { playerOf } from './player.ts'
import { closedPlayer, type Player, type PlayerState } from './player-state.ts'

/** The player; null until its element is in the page. */
export function usePlayer(): Player | null {
  const audio = useAudioElement()
  return audio && playerOf(audio)
}

/**
 * One value of the player's state: a component that shows the title does not render when the position changes.
 * Prerendered pages have a closed player, so a part that hydrates late begins with that, even if something plays by then.
 */
export function usePlayerState<Value extends string | number | boolean | null>(
  player: Player | null,
  select: (state: PlayerState) => Value,
): Value {
  return useSyncExternalStore(
    player?.subscribe ?? never,
    () => select(player?.state() ?? closedPlayer),
    () => select(closedPlayer),
  )
}

const never = () => () => undefined
