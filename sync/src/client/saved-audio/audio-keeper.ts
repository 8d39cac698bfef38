import { CallError } from '../../call/call-error.ts'
import { browserTransport, type Transport } from '../../call/call.ts'
import { DeviceFull, downloadRecording } from './audio-download.ts'
import { isWithoutRoom, roomFinder, takesAChunk } from './audio-room.ts'
import { findEvicted, saveNewest, readNewestWish } from './audio-store.ts'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { liveQuery } from '../database/live-query.ts'
import { withLeaderLock } from '../engine/leader.ts'
import { pause, sleep } from '../engine/sleep.ts'
import { readNewestTeachings } from '../replica/teachings.store.ts'

/** Brings wanted recordings to the device, one at a time, in one tab of the browser. */
export interface AudioKeeper {
  /** The next attempt now: the line is back, or a person asked. */
  wake(): void
  stop(): void
}

/** What of the browser a keeper stands on; a test hands in its own. */
export interface KeeperDeps {
  db: AudioDatabase
  transport: Transport
  /** Runs `work` while this tab is the one that downloads; ends it by the signal. */
  withLeaderLock: (work: (signal: AbortSignal) => Promise<void>) => () => void
  /** Calls back when there are other wishes than before, and when the line or the person comes back. */
  onWishes: (then: () => void) => () => void
  /** Resolves after `ms`, or at once when `wake` settles. */
  pause: (ms: number, wake: Promise<void>) => Promise<void>
  /** Whether the device takes another chunk; asked when the app is opened, and when the person or the line comes back. */
  hasRoom: () => Promise<boolean>
}

/** Waiting before the next attempt after failures in a row: doubling from two seconds, five minutes at most. */
export const retryAfterMs = (failures: number): number => Math.min(2000 * 2 ** failures, 5 * 60_000)

export function startKeeper(deps: KeeperDeps = browserDeps()): AudioKeeper {
  const { db, transport, onWishes } = deps
  const { wake, woken } = sleep()

  const releaseLeaderLock = deps.withLeaderLock(async (signal) => {
    let failures = 0
    /** By recording: one that does not come must not keep the others waiting behind it. */
    const failed = new Map<string, number>()
    const findsRoom = roomFinder(db, deps.hasRoom)
    while (!signal.aborted) {
      const signalled = woken()
      const outcome = await attempt(db, transport, signal, failed)
      failures = outcome === 'failed' ? failures + 1 : 0
      if (outcome === 'idle' && !(await findsRoom().catch(() => false))) await deps.pause(Infinity, signalled)
      // What happened during the attempt is no reason to hurry: only what happens from now on.
      if (outcome === 'failed') await deps.pause(retryAfterMs(failures - 1), woken())
    }
  })
  const stopWishes = onWishes(wake)
  return {
    wake,
    stop() {
      releaseLeaderLock()
      stopWishes()
      wake()
    },
  }
}

/** What to fetch: not what waits for room. */
const isNextable = (recording: SavedRecording): boolean =>
  recording.state === 'waiting' && !isWithoutRoom(recording)

/** Of those that failed least the wish made first. */
async function nextWanted(
  db: AudioDatabase,
  failed: ReadonlyMap<string, number>,
): Promise<string | undefined> {
  const waiting = await db.recordings.filter(isNextable).toArray()
  const failuresOf = ({ key }: SavedRecording) => failed.get(key) ?? 0
  return waiting.sort((a, b) => failuresOf(a) - failuresOf(b) || a.savedAt - b.savedAt)[0]?.key
}

/** failed: by the line or by the device's own database, which iOS closes behind a page's back; both come back. */
async function attempt(
  db: AudioDatabase,
  transport: Transport,
  signal: AbortSignal,
  failed: Map<string, number>,
): Promise<'idle' | 'done' | 'failed'> {
  let key: string | undefined
  try {
    key = await nextWanted(db, failed)
    if (!key) return 'idle'
    await downloadRecording(db, key, transport, { signal })
    return 'done'
  } catch (error) {
    // Refused or without room: noted in the row, which is not next any more.
    if (error instanceof CallError || error instanceof DeviceFull) return 'done'
    if (key) failed.set(key, (failed.get(key) ?? 0) + 1)
    return 'failed'
  }
}

let started: AudioKeeper | undefined

/** The one keeper of this page, started at the first call; it also finds out what the device took away. */
export function audioKeeper(): AudioKeeper {
  if (started) return started
  void findEvicted().catch(() => {})
  started = startKeeper()
  return started
}

function browserDeps(): KeeperDeps {
  const db = audioDatabase()
  return {
    db,
    transport: browserTransport,
    pause,
    hasRoom: () => takesAChunk(db),
    withLeaderLock: (work) => withLeaderLock('audio-downloads', db, work),
    onWishes(then) {
      // Each chunk that arrives changes its row, and is no new wish.
      let before = ''
      const whenOthers = (keys: string[], call: () => void) => {
        const now = keys.sort().join()
        if (now !== before) call()
        before = now
      }
      const wishes = liveQuery(() => db.recordings.filter(isNextable).primaryKeys())
      const newest = liveQuery(async () => {
        const count = await readNewestWish(db)
        // Some of the newest may have no recording yet.
        return count === 0 ? [] : ((await readNewestTeachings(count * 4)) ?? [])
      })
      const subscriptions = [
        wishes.subscribe({ next: (keys) => whenOthers(keys, then), error: () => {} }),
        newest.subscribe({
          next: (teachings) => void saveNewest(teachings, Date.now(), db).catch(() => {}),
          error: () => {},
        }),
      ]
      window.addEventListener('online', then)
      document.addEventListener('visibilitychange', then)
      return () => {
        for (const subscription of subscriptions) subscription.unsubscribe()
        window.removeEventListener('online', then)
        document.removeEventListener('visibilitychange', then)
      }
    },
  }
}
