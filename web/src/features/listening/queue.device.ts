import { upNextTexts } from '@fellowship/schema/listening/listening.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { watch } from '@fellowship/sync/client/engine/live'
import {
  forgetPlayed,
  notePlayed,
  readUpNext,
  writeUpNext,
  type UpNext,
} from '@fellowship/sync/client/listening/up-next.store'
import type { UpNextAction } from '@fellowship/sync/protocol/up-next'
import { showToast } from '../../ui/toast.ts'

/** Reports the list, now and after every change in any tab; resolves after the first report. */
export function watchUpNext(onChange: (upNext: UpNext) => void): Promise<void> {
  return new Promise((resolve) => {
    watch(readUpNext, (upNext) => {
      onChange(upNext)
      resolve()
    })
  })
}

/** Adds a teaching at the front or at the end of the list, and shows a toast. */
export async function addToUpNext(teaching: ListedTeaching, place: 'playNext' | 'addToEnd'): Promise<void> {
  const description = shownTitle(teaching)
  const changed = await change({ type: place, uids: [teaching.uid] })
  if (!changed) return
  if (changed.length > 0) showToast({ title: upNextTexts[place], description })
  else if (await stands(teaching.uid)) showToast({ title: upNextTexts.isThere, description })
  else showToast({ ...upNextTexts.full, kind: 'destructive' })
}

/** Puts teachings at the front of the list, in their order; shows a toast if some have no room. */
export async function playThese(uids: readonly string[]): Promise<void> {
  const changed = await change({ type: 'playNext', uids })
  if (!changed) return
  const placed = new Set(changed.map(({ uid }) => uid))
  const leftOut = uids.filter((uid) => !placed.has(uid)).length
  if (leftOut > 0) showToast({ ...upNextTexts.leftOut(leftOut), kind: 'destructive' })
}

export const moveInUpNext = (uid: string, before: string | null) => change({ type: 'move', uid, before })

/** Removes teachings and offers to put them back; `said`: the title of the toast. */
export async function removeFromUpNext(uids: readonly string[], said: string): Promise<void> {
  const removed = await change({ type: 'remove', uids })
  if (!removed || removed.length === 0) return
  const back = removed.map(({ uid }) => uid)
  const onPress = () => void change({ type: 'putBack', uids: back })
  showToast({ title: said, action: { label: 'Undo', onPress } })
}

/** Removes a teaching from the list when it plays. If that cannot be written, playback continues. */
export const leaveUpNext = (uid: string) =>
  writeUpNext({ type: 'remove', uids: [uid] }).catch(() => undefined)

/** Records a teaching as played before when the next one begins. */
export const gaveWay = (uid: string) => notePlayed(uid).catch(() => undefined)

/** Updates the list when the previous teaching plays again, so that the present one follows it. */
export async function goBack(to: string, from: string | undefined): Promise<void> {
  await forgetPlayed(to).catch(() => undefined)
  if (from !== undefined) await writeUpNext({ type: 'playNext', uids: [from] }).catch(() => undefined)
}

/** Returns undefined, and shows a toast, if the device could not write it. */
async function change(action: UpNextAction) {
  try {
    return await writeUpNext(action)
  } catch {
    showToast({ ...upNextTexts.notKept, kind: 'destructive' })
    return undefined
  }
}

const stands = async (uid: string) => (await readUpNext()).teachings.some((each) => each.uid === uid)
