import { CallError } from '../../call/call-error.ts'
import { browserTransport, type Transport } from '../../call/call.ts'
import { DeviceFull, downloadRecording } from './audio-download.ts'
import { isWithoutRoom, roomProbe, canStoreChunk } from './audio-room.ts'
import { findEvicted, saveNewest, readNewestWish } from './audio-store.ts'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { liveQuery } from '../database/live-query.ts'
import { withLeaderLock } from '../engine/leader.ts'
import { pause, sleep } from '../engine/sleep.ts'
import { readNewestTeachings } from '../replica/teachings.store.ts'

/** Downloads recordings to the device, one at a time, in the leader tab. */
export interface AudioDownloads {
  /** Ends the backoff: the network is back, or a person asked. */
  wake(): void
  stop(): void
}

/** What the downloads need of the browser; a test passes its own. */
export interface DownloadsDeps {
  db: AudioDatabase
  transport: Transport
  /** Runs `work` while this tab holds the leader lock; its end aborts the signal. */
  withLeaderLock: (work: (signal: AbortSignal) => Promise<void>) => () => void
  /** Calls back when other recordings are wanted, and when the network is back or the page visible again. */
  onWishes: (then: () => void) => () => void
  /** Resolves after `ms`, or at once when `wake` settles. */
  pause: (ms: number, wake: Promise<void>) => Promise<void>
  /** Whether the device can store another chunk. */
  hasRoom: () => Promise<boolean>
}

/** Waiting before the next attempt after failures in a row: doubling from two seconds, five minutes at most. */
export const retryAfterMs = (failures: number): number => Math.min(2000 * 2 ** failures, 5 * 60_000)

export function startDownloads(deps: DownloadsDeps = browserDeps()): AudioDownloads {
  const { db, transport, onWishes } = deps
  const { wake, woken } = sleep()

  const releaseLeaderLock = deps.withLeaderLock(async (signal) => {
    let failures = 0
    /** Failures by recording: one that fails must not hold up the others. */
    const failed = new Map<string, number>()
    const findsRoom = roomProbe(db, deps.hasRoom)
    while (!signal.aborted) {
      const signalled = woken()
      const outcome = await attempt(db, transport, signal, failed)
      failures = outcome === 'failed' ? failures + 1 : 0
      if (outcome === 'idle' && !(await findsRoom().catch(() => false))) await deps.pause(Infinity, signalled)
      // Only what happens after the attempt ends the backoff.
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

/** Whether it can be downloaded now: not while there is no room for it. */
const isDownloadable = (recording: SavedRecording): boolean =>
  recording.state === 'waiting' && !isWithoutRoom(recording)

/** The oldest of those that failed least. */
async function nextWanted(
  db: AudioDatabase,
  failed: ReadonlyMap<string, number>,
): Promise<string | undefined> {
  const waiting = await db.recordings.filter(isDownloadable).toArray()
  const failuresOf = ({ key }: SavedRecording) => failed.get(key) ?? 0
  return waiting.sort((a, b) => failuresOf(a) - failuresOf(b) || a.savedAt - b.savedAt)[0]?.key
}

/** failed: the network, or the database, which iOS may close at any time; both are retried. */
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
    // Refused or without room: the row says so and is skipped from now on.
    if (error instanceof CallError || error instanceof DeviceFull) return 'done'
    if (key) failed.set(key, (failed.get(key) ?? 0) + 1)
    return 'failed'
  }
}

let started: AudioDownloads | undefined

/** The downloads of this page, started at the first call; also finds recordings whose bytes the browser deleted. */
export function audioDownloads(): AudioDownloads {
  if (started) return started
  void findEvicted().catch(() => {})
  started = startDownloads()
  return started
}

function browserDeps(): DownloadsDeps {
  const db = audioDatabase()
  return {
    db,
    transport: browserTransport,
    pause,
    hasRoom: () => canStoreChunk(db),
    withLeaderLock: (work) => withLeaderLock('audio-downloads', db, work),
    onWishes(then) {
      // Each chunk that arrives changes its row, and is no new wish.
      let before = ''
      const whenOthers = (keys: string[], call: () => void) => {
        const now = keys.sort().join()
        if (now !== before) call()
        before = now
      }
      const wishes = liveQuery(() => db.recordings.filter(isDownloadable).primaryKeys())
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
