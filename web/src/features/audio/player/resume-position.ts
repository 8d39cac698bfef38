import { resumeAt } from '@fellowship/schema/listening/listening-position'
import type { Player } from './player-state.ts'
import { positionsNow } from '../../listening/positions.ts'

/** The position in a recording, in seconds: of the player where it is open, else the saved one; 0 where there is none. */
export function momentOf(player: Player | null, uid: string): number {
  const open = player?.state()
  return open?.recording?.uid === uid ? open.position : resumeAt(positionsNow()?.get(uid))
}
