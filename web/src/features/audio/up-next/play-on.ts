import { leastSeconds } from '@fellowship/schema/listening/listening-position'
import { upNextTexts } from '@fellowship/schema/listening/listening.texts'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { showToast } from '../../../ui/toast.ts'
import { gaveWay, goBack, leaveUpNext } from '../../listening/queue.device.ts'
import { onUpNext, upNextKnown, upNextNow } from '../../listening/up-next.ts'
import type { Failure, Playable, Player, PlayerState } from '../player/player-state.ts'
import { watchRemoval } from '../player/removal.device.ts'
import { playableOf } from '../player/recording-of.ts'
import { wholeOf } from '../saved/saved.ts'
import { type Following, nextOf } from './next-of.ts'

export interface PlayOn {
  next: () => void
  /** Plays from the beginning; if it is in its first seconds, plays the previous teaching. */
  previous: () => void
  /** Plays a teaching as one of the list; if it cannot be loaded or played, plays the one after it and shows a toast. */
  begin: (teaching: ListedTeaching) => void
}

const known = new WeakMap<Player, PlayOn>()

/** The `PlayOn` of a player, always the same one; from the first call on it plays the list when a teaching ends. */
export function playOnOf(player: Player): PlayOn {
  const made = known.get(player) ?? drive(player)
  known.set(player, made)
  return made
}

/** After this many seconds, "previous" restarts the teaching instead of playing the one before. */
const restartsAfterSeconds = 3

function drive(player: Player): PlayOn {
  /** The teaching that the list has opened, until it sounds. */
  let begun: string | undefined
  /** The teaching that was removed from the list after it was opened. */
  let left: string | undefined
  let before = player.state()

  const begin = (next: ListedTeaching): void => {
    const recording = playableOf(next)
    if (!recording) return
    begun = next.uid
    player.playOn(recording)
  }
  /** Removes the open teaching from the list when it is over. */
  const finish = (uid: string | undefined) => {
    if (uid === undefined) return
    void leaveUpNext(uid)
    void gaveWay(uid)
  }
  const playOn = () => {
    const open = player.state().recording?.uid
    const { next, skipped } = nextPlayable(open)
    if (next) {
      finish(open)
      begin(next)
      if (skipped > 0) showToast({ title: upNextTexts.skipped(skipped) })
    } else {
      if (open !== undefined && player.state().hasEnded) void leaveUpNext(open)
      if (skipped > 0) showToast({ title: upNextTexts.waits(skipped) })
    }
  }
  /** If the browser wrongly reports to be online, unsaved teachings stay in the list for later. */
  const skipUnreachable = (open: string) => {
    const { next, skipped } = nextSaved(open)
    if (!next) return
    begin(next)
    showToast({ title: upNextTexts.skipped(skipped + 1) })
  }
  /** Removes a teaching that the server has lost or this browser cannot play, as it would stop the list each time. */
  const skipBroken = (uid: string, title: string) => {
    void leaveUpNext(uid)
    const { next } = nextPlayable(uid)
    if (next) begin(next)
    showToast({ title: upNextTexts.cannotPlay(title), kind: 'destructive' })
  }
  const skip = ({ uid, title }: Playable, failure: Failure) =>
    failure === 'unreachable' ? skipUnreachable(uid) : skipBroken(uid, title)
  const previous = () => {
    const { recording, position, hasEnded } = player.state()
    const to = playedBefore(recording?.uid)
    if (position > restartsAfterSeconds || !to) return player.seek(0)
    void goBack(to.uid, hasEnded ? undefined : recording?.uid)
    begin(to)
  }
  const follow = (now: PlayerState, was: PlayerState) => {
    const { recording, failure } = now
    const uid = recording?.uid
    if (uid !== was.recording?.uid) left = undefined
    if (now.status === 'playing') begun = undefined
    if (now.hasEnded && !was.hasEnded) playOn()
    else if (recording && uid === begun && failure) {
      begun = undefined
      skip(recording, failure)
    } else if (uid !== undefined && uid !== left && isKept(now) && isWaiting(uid)) {
      // It leaves the list when its position is saved, so that nothing is lost if the page is closed.
      left = uid
      void leaveUpNext(uid)
    }
  }
  const keys = () => setKeys(player, { next: playOn, previous })
  player.subscribe(() => {
    const was = before
    before = player.state()
    follow(before, was)
    if (before.status !== was.status || before.recording !== was.recording) keys()
  })
  onUpNext(keys)
  void upNextKnown()
  tellRemoval(player)
  return { next: playOn, previous, begin }
}

/** A removed teaching plays to its end, of which the listener is told. */
function tellRemoval(player: Player): void {
  let watched: string | undefined
  let stop: () => void = nothing
  const follow = () => {
    const { recording } = player.state()
    if (recording?.uid === watched) return
    watched = recording?.uid
    stop()
    stop = recording ? watchRemoval(recording.uid, () => told(recording)) : nothing
  }
  const told = ({ title }: Playable) =>
    showToast({
      title: 'Removed from the library',
      description: `“${title}” plays on as far as it is loaded.`,
    })
  player.subscribe(follow)
  follow()
}

const nothing = () => undefined

const isKept = ({ status, position }: PlayerState): boolean =>
  status === 'playing' && position >= leastSeconds

/** Sets previous and next only if there is a teaching to play. */
function setKeys(player: Player, { next, previous }: Pick<PlayOn, 'next' | 'previous'>): void {
  const { recording, status } = player.state()
  const isOpen = status !== 'closed'
  const canGoOn = hasNext(recording?.uid)
  const canGoBack = playedBefore(recording?.uid) !== undefined
  setTrackKeys({
    nexttrack: isOpen && canGoOn ? next : null,
    previoustrack: isOpen && (canGoOn || canGoBack) ? previous : null,
  })
}

type TrackKey = 'nexttrack' | 'previoustrack'

/** The keys that are set; others need not be removed. */
const set = new Set<string>()

/**
 * Sets or removes previous and next on the lock screen, the headset and in the car. Sets them again even if they are
 * set, as WebKit drops them when playback starts.
 */
function setTrackKeys(keys: Record<TrackKey, (() => void) | null>): void {
  const session = navigator.mediaSession as MediaSession | undefined
  for (const [action, handler] of Object.entries(keys)) {
    if (!handler && !set.delete(action)) continue
    if (handler) set.add(action)
    try {
      session?.setActionHandler(action as TrackKey, handler)
    } catch {
      // The browser does not support this action.
    }
  }
}

export const canPlay = (teaching: ListedTeaching): boolean => navigator.onLine || isSaved(teaching)

/** The next teaching after the open one in the present list that can be played on this connection. */
const nextPlayable = (open: string | undefined): Following => nextOf(waiting(), open, canPlay)

/** The next teaching after the open one that is saved on this device. */
const nextSaved = (open: string | undefined): Following => nextOf(waiting(), open, isSaved)

/** Whether there is another teaching in the list, playable or not. */
const hasNext = (open: string | undefined): boolean => waiting().some(({ uid }) => uid !== open)

const isWaiting = (uid: string): boolean => waiting().some((teaching) => teaching.uid === uid)

const playedBefore = (open: string | undefined): ListedTeaching | undefined =>
  upNextNow()?.playedBefore.find(({ uid }) => uid !== open)

const waiting = (): readonly ListedTeaching[] => upNextNow()?.teachings ?? []

const isSaved = (teaching: ListedTeaching): boolean =>
  wholeOf(playableOf(teaching)?.audioUrl ?? null) !== undefined
