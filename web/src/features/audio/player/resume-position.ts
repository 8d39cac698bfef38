import { resumeAt } from '@fellowship/schema/listening/listening-position'
import type { Player } from './player-state.ts'
import { positionsNow } from '../../listening/positions.ts'

/** The second somebody is at in a recording: where it plays, or where it was left; 0 where it was not begun. */
export function momentOf(player: Player | null, uid: string): number {
  const open = player?.state()
  return open?.recording?.uid === uid ? open.position : resumeAt(positionsNow()?.get(uid))
}
