import path from 'node:path'
import { church } from '@fellowship/schema/church'
import { Problem } from '@fellowship/schema/problem'
import { alignedText } from '@fellowship/schema/speech/aligned-text'
import {
  hintOf,
  lengthOf,
  sentencesOfHeard,
  speechParts,
  type SpeechPart,
  timeInRecording,
  type HeardPiece,
} from '@fellowship/schema/speech/heard-text'
import { speechLimits as limits } from '@fellowship/schema/speech/speech.limits'
import { speechTexts as texts } from '@fellowship/schema/speech/speech.texts'
import { sentences as rule, type Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { silencesOf, sound as soundOf } from '@fellowship/sound/measure/sound-file'
import type { SpeechSettings } from '../../config/speech-settings.ts'
import type { Context } from '../../context.ts'
import { logLoss } from '../../db/log-loss.ts'
import { installedFfmpeg } from '../../machine/audio/copy/copy-process.ts'
import { afterQuiet } from '../../machine/after-quiet.ts'
import { hearSpeech, UselessSpeech } from '../../machine/speech/speech-engine.ts'
import { speechProcess, type SpeechProcess } from '../../machine/speech/speech-process.ts'
import { isStoreDown } from '../../machine/storage/s3-client.ts'
import { readCaptionBytes, saveDraft } from '../transcripts/transcripts.ts'
import {
  beginHearing,
  failHearing,
  finishHearing,
  isStillWanted,
  nextToHear,
  nextToTime,
  releaseHearing,
  speechChoices,
  type TeachingToHear,
} from './speech.sql.ts'

/** After publishing and the small copies, whose measurements it needs. */
const times = { quietMs: 60_000, mostMs: 10 * 60_000, everyMs: 2 * 60_000 }

/**
 * Starts to time texts in the background, and to make drafts if the settings name a machine. Returns the function that stops it,
 * and waits for the end.
 */
export function startSpeech(context: Context): () => Promise<void> {
  const worker = speechWorker(context, context.config.speech)
  const waiting = afterQuiet(async () => {
    try {
      await worker.runAll()
    } catch (error) {
      logLoss(context, error, 'the machine drafts stopped', 'error')
    }
  }, times)
  const stopListening = context.changes.listen(waiting.changed)
  return () => {
    stopListening()
    worker.stop()
    return waiting.stop()
  }
}

interface SpeechWorker {
  /** Works until no teaching waits. Returns how many were tried; undefined if another process makes drafts. */
  runAll(): Promise<number | undefined>
  /** Ends the work; the next start begins a teaching in progress again. */
  stop(): void
}

interface SpeechOptions {
  decoding?: SpeechProcess
  /** Between two looks whether the work is still needed. */
  lookMs?: number
  /** For the answer to one part; derived from its length by default. */
  waitMs?: number
}

/**
 * Times one text or makes one draft after the other: a machine for speech fills the processor by itself.
 *
 * @param settings without them no drafts are made, and times are spread over the speech
 */
export function speechWorker(
  context: Context,
  settings: SpeechSettings | undefined,
  { decoding = speechProcess(), lookMs = 5_000, waitMs }: SpeechOptions = {},
): SpeechWorker {
  const { sql, clock, lifecycle, node } = context
  const stopped = new AbortController()
  const isOver = () => stopped.signal.aborted || lifecycle.draining

  async function run(): Promise<number> {
    let last: number | undefined
    for (let tried = 0; ; tried++) {
      const teaching = isOver() ? undefined : await next()
      // A draft that is here again could not be saved; the next run looks at it again.
      if (!teaching || (teaching.draft && teaching.draft.version === last)) return tried
      last = teaching.draft?.version
      if (settings && !teaching.hasFailed) await tryTeaching(teaching, settings)
      // Without a recogniser, sentence times are estimated from their length.
      else await save(context, teaching, alignedText(teaching.draft!.sentences, speechOf(teaching)))
    }
  }

  /** Drafts without times come first, because their authors are waiting. */
  async function next(): Promise<TeachingToHear | undefined> {
    const isHeard = settings !== undefined
    const untimed = await nextToTime(sql, { now: clock.now(), isHeard })
    return untimed ?? (isHeard ? nextToHear(sql, clock.now()) : undefined)
  }

  async function tryTeaching(teaching: TeachingToHear, settings: SpeechSettings): Promise<void> {
    const { uid } = teaching
    const gone = new AbortController()
    // Ends the work if the teaching is gone, has a text meanwhile, or the drafts are paused.
    const watch = setInterval(() => {
      if (isOver()) gone.abort()
      else
        void isStillWanted(sql, teaching).then(
          (isWanted) => isWanted || gone.abort(),
          () => undefined,
        )
    }, lookMs)
    const tries = await beginHearing(sql, teaching, clock.now())
    try {
      // If it began this often, the process died each time, perhaps because of this recording.
      if (tries > limits.tries) throw new UselessSpeech(texts.brokenOff)
      const ended = AbortSignal.any([gone.signal, stopped.signal])
      await hear(context, teaching, { settings, decoding, gone: ended, waitMs })
    } catch (error) {
      if (isOver() || gone.signal.aborted) return void (await releaseHearing(sql, uid))
      if (isStoreDown(error)) {
        await releaseHearing(sql, uid)
        throw error
      }
      const why = error instanceof Error ? error.message : String(error)
      const isFinal = error instanceof UselessSpeech || error instanceof Problem || tries >= limits.tries
      context.log.warn({ teaching: uid, why }, 'no draft could be made of a recording')
      await failHearing(sql, uid, { isFinal, why })
    } finally {
      clearInterval(watch)
    }
  }

  return {
    runAll: () => node.runAlone('machine drafts', run),
    stop() {
      stopped.abort()
      decoding.close()
    },
  }
}

/**
 * Hears the recording in parts, and saves the result as a draft, or the times of a typed draft, unless the draft
 * changed meanwhile.
 */
async function hear(
  context: Context,
  teaching: TeachingToHear,
  {
    settings,
    decoding,
    gone,
    waitMs,
  }: {
    settings: SpeechSettings
    decoding: SpeechProcess
    gone: AbortSignal
    waitMs: number | undefined
  },
): Promise<void> {
  const { sql, storage } = context
  const began = performance.now()
  const sound = soundOf.parse(JSON.parse(teaching.sound))
  if (sound.seconds > limits.recordingSeconds) throw new UselessSpeech(texts.tooLong)
  const parts = speechParts(sound.seconds, silencesOf(sound))
  const { words } = await speechChoices(sql)
  const { language } = church()
  const staged = await Promise.all(parts.map(() => storage.stage()))
  try {
    const name = teaching.audioUrl.slice('/audio/'.length)
    const targets = staged.map(({ path: file }) => file)
    const job = {
      extension: path.extname(name).slice(1) as AudioExtension,
      parts,
      targets,
      ffmpeg: installedFfmpeg(),
    }
    if ((await storage.stat('audio', name))?.bytes !== teaching.audioBytes) throw new Error(texts.fileMissing)
    await storage.withPath('audio', name, (file) => decoding.run({ path: file, ...job }, gone))
    const pieces: HeardPiece[] = []
    for (const [index, part] of parts.entries()) {
      const request = { file: targets[index]!, seconds: lengthOf(part), hint: hintOf(words), language }
      const heard = await hearSpeech(settings, request, { gone, captions: piecesOfCaptions, waitMs })
      assertLanguage(heard.language, language)
      for (const { start, end, text } of heard.pieces)
        pieces.push({ start: timeInRecording(part, start), end: timeInRecording(part, end), text })
    }
    const heard = teaching.draft
      ? alignedText(teaching.draft.sentences, parts.flat(), pieces)
      : sentencesOfHeard(pieces, words)
    const sentences = rule.safeParse(heard)
    if (!sentences.success)
      throw new UselessSpeech(pieces.length === 0 ? texts.noSpeech : sentences.error.issues[0]!.message)
    await save(context, teaching, sentences.data)
    const soundSeconds = parts.reduce((sum, part) => sum + lengthOf(part), 0)
    await finishHearing(sql, teaching.uid, { soundSeconds, tookSeconds: (performance.now() - began) / 1000 })
  } finally {
    await Promise.all(staged.map((file) => file.discard()))
  }
}

/** The stretches of a recording that are not silent. */
function speechOf(teaching: TeachingToHear): SpeechPart {
  const sound = soundOf.parse(JSON.parse(teaching.sound))
  return speechParts(sound.seconds, silencesOf(sound)).flat()
}

async function save(
  context: Context,
  { id, uid, draft }: TeachingToHear,
  sentences: Sentence[],
): Promise<void> {
  const text = draft
    ? { sentences, language: draft.language, source: draft.source, baseVersion: draft.version }
    : { sentences, language: church().language, source: 'machine' as const, baseVersion: 0 }
  await saveDraft(context, { id, uid }, text, { actor: { id: null, name: 'Machine' } }).catch(
    (error: unknown) => {
      // If a person saved a draft meanwhile, or the teaching was deleted, the result is discarded.
      if (!(error instanceof Problem && ['revision_conflict', 'not_found'].includes(error.code))) throw error
    },
  )
}

/** Parses a program's captions. A caption without a time gets the time of the one before it. */
function piecesOfCaptions(bytes: Buffer): HeardPiece[] {
  if (bytes.toString('utf8').trim() === '') return []
  let latest = 0
  return readCaptionBytes(bytes).sentences.map(({ start, end, text }) => {
    latest = (start ?? latest * 1000) / 1000
    return { start: latest, end: end === null ? latest : end / 1000, text }
  })
}

/** Compares a code such as "en", or a name such as "english", with the language of the site. */
function assertLanguage(heard: string, expected: string): void {
  if (heard === '') return
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' })
  const nameOf = (tag: string) => {
    try {
      return names.of(tag.split('-')[0]!)!.toLowerCase()
    } catch {
      return tag.toLowerCase()
    }
  }
  const [is, should] = [nameOf(heard), nameOf(expected)]
  if (is !== should)
    throw new UselessSpeech(texts.otherLanguage(heard, names.of(expected.split('-')[0]!) ?? expected))
}
