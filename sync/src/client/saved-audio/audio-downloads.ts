import { CallError } from '../../call/call-error.ts'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { afterFailure, dueAt } from '../engine/backoff.ts'
import { browserDeps } from '../engine/browser-deps.ts'
import { watch, whenOthers } from '../engine/live.ts'
import { firstDue, startQueue, type Next, type SendingDeps } from '../engine/queue.ts'
import { onSignal, stopAll } from '../engine/signals.ts'
import { readNewestTeachings } from '../replica/teachings.store.ts'
import { DeviceFull, downloadRecording } from './audio-download.ts'
import {
  canStoreChunk,
  isWithoutRoom,
  roomProbe,
  findEvicted,
  readNewestCount,
  saveNewest,
} from './audio-store.ts'

/** Downloads recordings to the device, one at a time, in the leader tab. */
export interface AudioDownloads {
  /** Ends every backoff: a person asked. */
  wake(): void
  stop(): void
}

/** The browser's part of the downloads; a test passes its own. */
export interface DownloadsDeps extends SendingDeps {
  db: AudioDatabase
  /** Calls back when other recordings are wanted, and when the network is back or the page visible again. */
  onWake: (then: (why: 'recordings' | 'network') => void) => () => void
  /** Whether the device can store another chunk. */
  hasRoom: () => Promise<boolean>
}

export function startDownloads(deps: DownloadsDeps = pageDeps()): AudioDownloads {
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
          const counted = rate.transportOf(key, transport)
          await downloadRecording(db, key, counted, { signal })
          counted.forget()
        } catch (error) {
          // If it is refused or there is no room, the row has that state and is skipped from now on.
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
      .filter(isDownloadable)
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

/**
 * Calls back when other recordings are to be downloaded, or at another time; each chunk that arrives changes its row, and is
 * no other one.
 */
export const whenRecordingsChange = (db: AudioDatabase, then: () => void): (() => void) =>
  watch(() => db.recordings.filter(isDownloadable).toArray(), whenOthers(timeOfRecording, then))

/** With the retry time: another tab may have brought it forward. */
const timeOfRecording = ({ key, nextAttemptAt, notBefore }: SavedRecording) =>
  `${key} ${nextAttemptAt} ${notBefore}`

/** The oldest that is due. */
async function nextDownload({ db, now }: Pick<DownloadsDeps, 'db' | 'now'>): Promise<Next<SavedRecording>> {
  const waiting = await db.recordings.filter(isDownloadable).sortBy('savedAt')
  // Recordings of earlier builds have no backoff.
  return firstDue(
    waiting,
    ({ nextAttemptAt = 0, notBefore = 0 }) => dueAt({ nextAttemptAt, notBefore }, now()),
    now(),
  )
}

let started: AudioDownloads | undefined

/** The downloads of this page, started at the first call; also finds recordings whose bytes the browser deleted. */
export function audioDownloads(): AudioDownloads {
  if (started) return started
  void findEvicted().catch(() => {})
  started = startDownloads()
  return started
}

function pageDeps(): DownloadsDeps {
  const db = audioDatabase()
  return {
    ...browserDeps('audio-downloads', db),
    db,
    hasRoom: () => canStoreChunk(db),
    onWake(then) {
      return stopAll(
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
      )
    },
  }
}
