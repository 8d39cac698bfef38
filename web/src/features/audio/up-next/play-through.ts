import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { playThese } from '../../listening/queue-device.ts'
import type { Player } from '../player/player-state.ts'
import { recordingOf } from '../player/recording-of.ts'
import { playOnOf } from './play-on.ts'

/**
 * Plays a teaching and puts those behind it at the front of Up next; what is in the list already follows them. Call it in
 * the press that asks for it: phones play nothing else.
 *
 * @param teachings in their order
 * @param from the uid of the one to begin with
 */
export function playThrough(player: Player, teachings: readonly Teaching[], from: string): void {
  const at = teachings.findIndex(({ uid }) => uid === from)
  const recording = teachings[at] && recordingOf(teachings[at])
  if (!recording) return
  playOnOf(player)
  player.playOn(recording)
  void playThese(teachings.slice(at + 1).flatMap(({ uid, audioUrl }) => (audioUrl ? [uid] : [])))
}
