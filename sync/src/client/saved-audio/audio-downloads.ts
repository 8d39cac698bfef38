import { CallError } from '../../call/call-error.ts'
import { browserTransport, type Transport } from '../../call/call.ts'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { afterFailure, dueAt } from '../engine/backoff.ts'
import { withLeaderLock } from '../engine/leader.ts'
import { watch, whenOthers } from '../engine/live.ts'
import { startQueue, type Next, type QueueDeps } from '../engine/queue.ts'
import { pageRequestRate, type RequestRate } from '../engine/rate.ts'
import { onSignal } from '../engine/signals.ts'
import { pause } from '../engine/sleep.ts'
import { readNewestTeachings } from '../replica/teachings.store.ts'
import { DeviceFull, downloadRecording } from './audio-download.ts'
import { canStoreChunk, isWithoutRoom, roomProbe } from './audio-room.ts'
import { findEvicted, readNewestCount, saveNewest } from './audio-store.ts'

/** Downloads recordings to the device, one at a time, in the leader tab. */
export interface AudioDownloads {
  /** Ends every backoff: a person asked. */
  wake(): void
  stop(): void
}

/** What the downloads need of the browser; a test passes its own. */
export interface DownloadsDeps extends QueueDeps {
  db: AudioDatabase
  transport: Transport
  /** Between 0 and 1, for the jitter of retries. */
  random: () => number
  rate: RequestRate
  /** Calls back when other recordings are wanted, and when the network is back or the page visible again. */
  onWake: (then: (why: 'recordings' | 'network') => void) => () => void
  /** Whether the device can store another chunk. */
  hasRoom: () => Promise<boolean>
}

export function startDownloads(deps: DownloadsDeps = browserDeps()): AudioDownloads {
  const { db, transport, rate } = deps
  const findsRoom = roomProbe(db, deps.hasRoom)
  const queue = startQueue<SavedRecording>(
    {
      width: 1,
      laneOf: () => 'one at a time',
      async next() {
        const next = await nextDownload(deps)
        if (next.entry || next.dueAt !== undefined) return next
        return (await findsRoom().catch(() => false)) ? nextDownload(deps) : {}
      },
      async run(recording, signal) {
        const { key } = recording
        try {
          await downloadRecording(db, key, rate.transportOf(key, transport), { signal })
          rate.forget(key)
        } catch (error) {
          // Refused or without room: the row says so and is skipped from now on.
          if (signal.aborted || error instanceof CallError || error instanceof DeviceFull) return
          await db.recordings.update(
            key,
            afterFailure({ attempts: recording.attempts ?? 0 }, error, deps.now(), deps.random()),
          )
        }
      },
    },
    deps,
  )
  /** Only a person's request overrides the time that the server asked for. */
  const retry = (why: 'asked' | 'network') =>
    void db.recordings
      .filter((recording) => isDownloadable(recording) && !!(recording.nextAttemptAt || recording.notBefore))
      .modify({ nextAttemptAt: 0, ...(why === 'asked' && { notBefore: 0 }) })
      .then(queue.wake, queue.wake)
  const stopWake = deps.onWake((why) => (why === 'network' ? retry(why) : queue.wake()))
  return {
    wake: () => retry('asked'),
    stop() {
      queue.stop()
      stopWake()
    },
  }
}

/** Whether it can be downloaded now: not while there is no room for it. */
const isDownloadable = (recording: SavedRecording): boolean =>
  recording.state === 'waiting' && !isWithoutRoom(recording)

/** Calls back when other recordings are to be downloaded; each chunk that arrives changes its row, and is no other one. */
export const whenRecordingsChange = (db: AudioDatabase, then: () => void): (() => void) =>
  watch(
    () => db.recordings.filter(isDownloadable).primaryKeys(),
    whenOthers((key) => key, then),
  )

/** The oldest that is due. */
async function nextDownload({ db, now }: Pick<DownloadsDeps, 'db' | 'now'>): Promise<Next<SavedRecording>> {
  const waiting = await db.recordings.filter(isDownloadable).toArray()
  // Recordings of earlier builds have no backoff.
  const dueOf = ({ nextAttemptAt = 0, notBefore = 0 }: SavedRecording) =>
    dueAt({ nextAttemptAt, notBefore }, now())
  const [entry] = waiting.filter((each) => dueOf(each) <= now()).sort((a, b) => a.savedAt - b.savedAt)
  if (entry || waiting.length === 0) return { entry }
  return { dueAt: Math.min(...waiting.map(dueOf)) }
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
    now: () => Date.now(),
    random: Math.random,
    rate: pageRequestRate,
    pause,
    hasRoom: () => canStoreChunk(db),
    withLeaderLock: (work) => withLeaderLock('audio-downloads', db, work),
    onWake(then) {
      const stops = [
        whenRecordingsChange(db, () => then('recordings')),
        watch(
          async () => {
            const count = await readNewestCount(db)
            // Some of the newest may have no recording yet.
            return count === 0 ? [] : ((await readNewestTeachings(count * 4)) ?? [])
          },
          (teachings) => void saveNewest(teachings, Date.now(), db).catch(() => {}),
        ),
        onSignal(() => then('network')),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
