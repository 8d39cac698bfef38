import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { copyTries } from '@fellowship/schema/copies/copies.limits'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { packSound } from '@fellowship/sound/measure/sound-file'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { logLoss } from '../../db/log-loss.ts'
import { recordingKey } from '../audio/audio.ts'
import {
  copyProcess,
  installedFfmpeg,
  UncopyableRecording,
  type CopyProcess,
  type CopyResult,
} from '../../machine/audio/copy/copy-process.ts'
import { atMost } from '../../machine/concurrency.ts'
import { isStoreDown } from '../../machine/storage/s3-client.ts'
import type { StagedFile } from '../../machine/storage/storage.ts'
import { lockForWriting } from '../teachings/teachings.ts'
import {
  beginCopy,
  failCopy,
  finishCopy,
  copySettings,
  isCopyWanted,
  nextRecording,
  releaseCopy,
  type RecordingToCopy,
} from './copies.sql.ts'
import { afterQuiet } from '../../machine/after-quiet.ts'
import { copyName } from './copy-files.ts'

/**
 * Publishing and its readers come first: the work begins when there were no changes for 20 seconds, within 90 seconds of a
 * change, and every ten minutes for retries and for changes of other processes.
 */
const times = { quietMs: 20_000, mostMs: 90_000, everyMs: 10 * 60_000 }

/** Starts to make small copies in the background. Returns the function that stops it, and waits for the end. */
export function startCopies(context: Context): () => Promise<void> {
  const worker = copyWorker(context)
  const work = async () => {
    try {
      // If another process makes copies, try again soon: it may be killed without notice.
      if ((await worker.runAll()) === undefined) waiting.changed()
    } catch (error) {
      logLoss(context, error, 'the small copies stopped', 'error')
      waiting.changed()
    }
  }
  const waiting = afterQuiet(work, times)
  const stopListening = context.changes.listen(waiting.changed)
  return () => {
    stopListening()
    worker.stop()
    return waiting.stop()
  }
}

interface CopyWorker {
  /**
   * Works until all recordings are done, or it is paused or stopped. Returns the number of recordings that were tried;
   * undefined if another process makes copies.
   */
  runAll(): Promise<number | undefined>
  /** Ends the work. If a recording is being copied, the next start begins it again. */
  stop(): void
}

export function copyWorker(
  context: Context,
  {
    copying = copyProcess(),
    findFfmpeg = installedFfmpeg,
    turnMs = 60_000,
  }: { copying?: CopyProcess; findFfmpeg?: () => string | undefined; turnMs?: number } = {},
): CopyWorker {
  const { sql, clock, lifecycle, node } = context
  let isStopped = false
  const isOver = () => isStopped || lifecycle.draining

  /** Undefined if all recordings are done. */
  async function next(
    ffmpeg: string | undefined,
    except: readonly string[],
  ): Promise<RecordingToCopy | undefined> {
    if (isOver() || (await copySettings(sql)).paused) return undefined
    return nextRecording(sql, { now: clock.now(), ffmpeg: ffmpeg !== undefined, except })
  }

  /**
   * Each recording has a turn. One that takes longer goes on beside the others, until another one takes longer too: the first
   * then begins again when none waits.
   */
  async function runInTurns(): Promise<number> {
    // Looked up each time, because an administrator may install it at any time.
    const ffmpeg = findFfmpeg()
    const tried = new Set<string>()
    const long = new Set<string>()
    let beside: { sha256: string; turn: AbortController; done: Promise<void> } | undefined
    try {
      for (;;) {
        const running = beside ? [beside.sha256] : []
        const recording =
          (await next(ffmpeg, [...long, ...running])) ?? (beside ? undefined : await next(ffmpeg, []))
        if (!recording) {
          if (!beside) return tried.size
          await Promise.race([beside.done, delay(lookMs)])
          continue
        }
        const { sha256 } = recording
        tried.add(sha256)
        const turn = new AbortController()
        const work = tryCopy(context, recording, { copying, ffmpeg, isOver, turn: turn.signal })
        if (await endsWithin(turnMs, work)) continue
        if (beside) {
          long.add(beside.sha256)
          beside.turn.abort()
          await beside.done
        }
        const mine = { sha256, turn, done: work.finally(() => beside === mine && (beside = undefined)) }
        mine.done.catch(() => undefined)
        beside = mine
      }
    } finally {
      await beside?.done
    }
  }

  return {
    // Only one process makes copies, and holds the lock until the work is done.
    runAll: () => node.runAlone('small copies', runInTurns),
    stop() {
      isStopped = true
      copying.close()
    },
  }
}

async function endsWithin(ms: number, work: Promise<void>): Promise<boolean> {
  let isDone = false
  await atMost(
    ms,
    work.then(() => void (isDone = true)),
  )
  return isDone
}

/** While a recording is copied: how often to look for others, and whether it is still needed. */
const lookMs = 5_000

interface Making {
  copying: CopyProcess
  ffmpeg: string | undefined
  isOver: () => boolean
  /** Ends the work; it begins again later. */
  turn: AbortSignal
}

/**
 * Copies one recording, or records the reason of a failure.
 *
 * @throws Error if the object store is down
 */
async function tryCopy(context: Context, recording: RecordingToCopy, making: Making): Promise<void> {
  const { sql, clock, log } = context
  const { sha256 } = recording
  const tries = await beginCopy(sql, sha256, clock.now())
  const watch = watchNeed(context, sha256)
  const gone = AbortSignal.any([watch.ended, making.turn])
  try {
    // If it began this often, the process died each time, perhaps because of this recording.
    if (tries > copyTries.most) throw new UncopyableRecording('The work on it was broken off too often.')
    await copy(context, recording, { ...making, gone })
  } catch (error) {
    if (making.isOver() || gone.aborted) return releaseCopy(sql, sha256)
    // The recording is not at fault, and the others wait too.
    if (isStoreDown(error)) {
      await releaseCopy(sql, sha256)
      throw error
    }
    const why = error instanceof Error ? error.message : String(error)
    const isM4a = recording.audioUrl.endsWith('.m4a')
    const isFinal = error instanceof UncopyableRecording || tries >= copyTries.most
    const state = isM4a && !making.ffmpeg ? 'needs_ffmpeg' : isFinal ? 'failed' : 'retry'
    if (state !== 'needs_ffmpeg') log.warn({ sha256, why }, 'a recording could not be copied')
    await failCopy(sql, sha256, { state, why })
  } finally {
    watch.stop()
  }
}

/** `ended` is aborted when no teaching has the recording any more, or the work is paused. */
function watchNeed({ sql, changes }: Context, sha256: string): { ended: AbortSignal; stop: () => void } {
  const control = new AbortController()
  const look = () =>
    void isCopyWanted(sql, sha256).then(
      (isWanted) => isWanted || control.abort(),
      () => undefined,
    )
  const timer = setInterval(look, lookMs)
  const stopListening = changes.listen(look)
  return {
    ended: control.signal,
    stop() {
      clearInterval(timer)
      stopListening()
    },
  }
}

async function copy(
  context: Context,
  { sha256, audioUrl, audioBytes }: RecordingToCopy,
  { copying, ffmpeg, gone }: Making & { gone: AbortSignal },
): Promise<void> {
  const { storage } = context
  const name = audioUrl.slice('/audio/'.length)
  if ((await storage.stat('audio', name))?.bytes !== audioBytes) throw new Error(copyTexts.fileMissing)
  const staged = await storage.stage()
  try {
    const extension = path.extname(name).slice(1) as AudioExtension
    const result = await storage.withPath('audio', name, (file) =>
      copying.run({ path: file, extension, bytes: audioBytes, target: staged.path, ffmpeg }, gone),
    )
    if (!result) throw new Error(copyTexts.fileMissing)
    await publish(context, sha256, result, staged)
  } finally {
    await staged.discard()
  }
}

/** Stores the copy under its hash, then the row that refers to it. */
async function publish(
  { sql, storage, changes, locks }: Context,
  sha256: string,
  { sound, copy: made }: CopyResult,
  staged: StagedFile,
): Promise<void> {
  const write = () =>
    sql.begin(async (tx) => {
      await lockForWriting(tx)
      await finishCopy(tx, {
        sha256,
        loudness: toTenth(sound.loudness),
        truePeak: toTenth(sound.truePeak),
        faults: sound.faults,
        sound: JSON.stringify(packSound(sound)),
        copy: made,
      })
    })
  if (made) {
    await locks.run(recordingKey(made.sha256), async () => {
      // If the write fails, the settlement stays recorded, and the next start decides by the rows.
      const settlement = await storage.settle(staged, 'audio', copyName(made.sha256))
      await write()
      await settlement.keep()
    })
  } else await write()
  changes.announce()
}

const toTenth = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10)
