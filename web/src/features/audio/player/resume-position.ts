import { resumeAt } from '@fellowship/schema/listening/listening-position'
import type { Player } from './player-state.ts'
import { positionsNow } from '../../listening/positions.ts'

/** The position in a recording, in seconds: the player's if it is open there, else the saved one, else 0. */
export function momentOf(player: Player | null, uid: string): number {
  const open = player?.state()
  return open?.recording?.uid === uid ? open.position : resumeAt(positionsNow()?.get(uid))
}
