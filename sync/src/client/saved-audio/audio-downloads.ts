import { CallError, NetworkError } from '../../call/call-error.ts'
import { audioDatabase, type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'
import { afterFailure, dueAt, noBackoff, type Backoff } from '../engine/backoff.ts'
import { browserDeps } from '../engine/browser-deps.ts'
import { watch, whenOthers } from '../engine/live.ts'
import { firstDue, startQueue, type Next, type SendingDeps } from '../engine/queue.ts'
import { onSignal, stopAll } from '../engine/signals.ts'
import { readNewestTeachings } from '../replica/teachings.store.ts'
import { DeviceFull, downloadRecording } from './audio-download.ts'
import { findEvicted, readNewestCount, saveNewest } from './audio-store.ts'
import { freeAhead } from './ahead-store.ts'
import { freeLine, playedKeys, sharedLine, type AudioLine } from './audio-line.ts'
import { canStoreChunk, deviceRoom, isWithoutRoom, resumeWithRoom, type DeviceRoom } from './device-room.ts'

/** Downloads recordings to the device, one at a time, in the leader tab. */
export interface AudioDownloads {
  /** Ends every backoff: a person asked. */
  wake(): void
  /** Whether the device is full and the rows do not show it; its listeners. */
  room: Pick<DeviceRoom, 'isUnmarked' | 'onChange'>
  stop(): void
}

/** The browser's part of the downloads; a test passes its own. */
export interface DownloadsDeps extends SendingDeps {
  db: AudioDatabase
  /** Calls back when other recordings are wanted, and when the network is back or the page visible again. */
  onWake: (then: (why: 'recordings' | 'network') => void) => () => void
  /** Whether the device can store another chunk. */
  hasRoom: () => Promise<boolean>
  line?: AudioLine
  /** Keys of the recordings that are open in a player of any tab, and of the next ones; undefined if it cannot know. */
  played?: () => Promise<ReadonlySet<string> | undefined>
}

export function startDownloads(deps: DownloadsDeps = pageDeps()): AudioDownloads {
  const { db, transport, rate, now } = deps
  const room = deviceRoom(db, deps.hasRoom)
  /** All recordings come from one host: its failures back off as those of one entry. */
  let host: Backoff = noBackoff
  let lastFailed: string | undefined
  const queue = startQueue<SavedRecording>(
    {
      width: 1,
      laneOf: () => 'one at a time',
      async next() {
        if (!(await room.isFound())) return { dueAt: now() + roomEveryMs }
        const next = await nextDownload(deps, lastFailed, await deps.played?.())
        const hostAt = dueAt(host, now())
        return next.entry && hostAt > now() ? { dueAt: hostAt } : next
      },
      async run({ key, automatic = false, ahead, attempts = 0 }, signal) {
        const isAhead = ahead !== undefined
        try {
          const counted = rate.transportOf(key, transport, { automatic: automatic || isAhead })
          await downloadRecording(db, key, counted, {
            signal,
            line: deps.line ?? freeLine,
            ...(isAhead && { stallMs: aheadStallMs, isPlayed: isPlayed(deps) }),
          })
          counted.forget()
          host = noBackoff
        } catch (error) {
          if (signal.aborted) return
          if (error instanceof DeviceFull) return whenFull(db, key, room)
          // If it is refused, the row has that state and is skipped from now on.
          if (error instanceof CallError) return
          lastFailed = key
          const failed = (before: Pick<Backoff, 'attempts'>) => {
            const backoff = afterFailure(before, error, now(), deps.random())
            // While it plays, a short stretch with signal is worth more than few requests.
            return isAhead && error instanceof NetworkError
              ? { ...backoff, nextAttemptAt: Math.min(backoff.nextAttemptAt, now() + aheadRetryMs) }
              : backoff
          }
          if (error instanceof NetworkError) host = failed(host)
          await db.recordings.update(key, failed({ attempts }))
        }
      },
    },
    deps,
  )
  /** Only a person's request overrides the time that the server asked for. */
  const retry = (why: 'asked' | 'network') => {
    const due = { nextAttemptAt: 0, ...(why === 'asked' && { notBefore: 0 }) }
    host = { ...host, ...due }
    if (why === 'asked') room.askSoon()
    void db.recordings.filter(isDownloadable).modify(due).then(queue.wake, queue.wake)
  }
  const stopWake = deps.onWake((why) => (why === 'network' ? retry(why) : queue.wake()))
  return {
    wake: () => retry('asked'),
    room,
    stop() {
      queue.stop()
      stopWake()
    },
  }
}

/** Whether it can be downloaded now: not while there is no room for it. */
const isDownloadable = (recording: SavedRecording): boolean =>
  recording.state === 'waiting' && !isWithoutRoom(recording) && !recording.ahead?.isHeld

/** Without a byte for this long, a download of a recording that plays is tried again. */
const aheadStallMs = 8_000
/** After a failed attempt of such a download. */
const aheadRetryMs = 6_000

const isPlayed =
  ({ played }: Pick<DownloadsDeps, 'played'>) =>
  async (key: string) =>
    (await played?.())?.has(key) ?? true

/** Room that is only held for playing is given to a saved recording; nothing else is removed. */
async function whenFull(db: AudioDatabase, key: string, room: DeviceRoom): Promise<void> {
  const recording = await db.recordings.get(key)
  if (recording?.ahead) {
    await db.recordings.update(key, { ahead: { ...recording.ahead, isHeld: true } }).catch(() => undefined)
    return
  }
  await room.noteFull(key)
  const freed = await freeAhead(() => true, db).catch(() => 0)
  if (freed > 0) await resumeWithRoom(db).catch(() => undefined)
}

/**
 * Calls back when other recordings are to be downloaded, or at another time, or one has left the device; each chunk that
 * arrives changes its row, and is no other one.
 */
export const whenRecordingsChange = (db: AudioDatabase, then: () => void): (() => void) =>
  watch(() => db.recordings.toArray(), whenOthers(timeOfRecording, then))

/** With the retry time: another tab may have brought it forward. */
const timeOfRecording = (recording: SavedRecording) =>
  isDownloadable(recording)
    ? `${recording.key} ${recording.nextAttemptAt} ${recording.notBefore} ${recording.ahead && recording.lastPlayedAt}`
    : `${recording.key} ${recording.state}`

/**
 * The first that is due: those that a person asked for, then those that play, in the order in which they do, then the newest
 * of the standing request, each the oldest first. The one that failed last goes behind the others, so that it alone cannot
 * use up every attempt at the host.
 */
async function nextDownload(
  { db, now }: Pick<DownloadsDeps, 'db' | 'now'>,
  lastFailed: string | undefined,
  played: ReadonlySet<string> | undefined,
): Promise<Next<SavedRecording>> {
  const rank = ({ key, automatic = false, ahead }: SavedRecording) =>
    key === lastFailed ? 3 : ahead ? 1 : automatic ? 2 : 0
  const waiting = (await db.recordings.filter(isDownloadable).toArray()).filter(
    ({ key, ahead }) => !ahead || (played?.has(key) ?? true),
  )
  waiting.sort((a, b) => rank(a) - rank(b) || a.savedAt - b.savedAt)
  // Recordings of earlier builds have no backoff.
  return firstDue(
    waiting,
    ({ nextAttemptAt = 0, notBefore = 0 }) => dueAt({ nextAttemptAt, notBefore }, now()),
    now(),
  )
}

/** Between two checks for room on a full device without any other event. */
const roomEveryMs = 5 * 60_000

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
    line: sharedLine(),
    played: playedKeys,
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
