import { upNextTexts } from '@fellowship/schema/listening/listening.texts'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { showToast } from '../../../ui/toast.ts'
import { playThese } from '../../listening/queue.device.ts'
import type { Player } from '../player/player-state.ts'
import { savedKnown, savedShelf } from '../saved/saved.ts'
import { canPlay, playOnOf } from './play-on.ts'
import { nextOf } from './next-of.ts'

/**
 * Plays a teaching and puts those behind it at the front of Up next; the teachings already in the list follow them.
 * Offline it begins with the first that is saved, and shows how many it skipped. Call it in the handler of the press:
 * phones play nothing else.
 *
 * @param teachings in their order
 * @param from the uid of the one to begin with
 */
export function playThrough(player: Player, teachings: readonly ListedTeaching[], from: string): void {
  // Right after the page has opened, nothing would count as saved if this did not wait.
  if (!navigator.onLine && savedShelf.snapshot().status === 'unknown') {
    void savedKnown().then(() => playNow(player, teachings, from))
  } else playNow(player, teachings, from)
}

function playNow(player: Player, teachings: readonly ListedTeaching[], from: string): void {
  const at = teachings.findIndex(({ uid }) => uid === from)
  const playable = at < 0 ? [] : teachings.slice(at).filter(({ audioUrl }) => audioUrl)
  if (playable.length === 0) return
  const { next, skipped } = nextOf(playable, undefined, canPlay)
  if (!next) return showToast({ ...upNextTexts.noneSaved, kind: 'destructive' })
  const behind = playable.slice(skipped + 1).map(({ uid }) => uid)
  if (player.state().recording?.uid === next.uid) player.play()
  else playOnOf(player).begin(next)
  if (skipped > 0) showToast({ title: upNextTexts.skipped(skipped) })
  void playThese(behind)
}
