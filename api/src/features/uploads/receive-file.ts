import { chapterLines } from '@fellowship/schema/chapters/chapters'
import { foreignChapters } from '@fellowship/schema/chapters/chapters-json'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Teaching, TeachingEdit, TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { maxUploadBytes, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import type { Context } from '../../context.ts'
import { writeAudit, type AuditActor } from '../../db/audit-log.ts'
import { inTransaction, isRolledBack, type Transaction } from '../../db/connection.ts'
import { hearAudio, probeAudio, rewrapAudio } from '../../machine/audio/audio-reader.ts'
import type { AudioFacts } from '@fellowship/sound/read/probe'
import { formatDuration } from '@fellowship/sound/read/refusals'
import type { HashInProgress } from '../../machine/storage/file-hash.ts'
import { isDiskFull, type Settlement, type StagedFile } from '../../machine/storage/storage.ts'
import { keepOriginal, noteMended, recordingKey, removeUnpublishedOriginal } from '../audio/audio.ts'
import {
  assertWordRoom,
  changeTeaching,
  columnsOf,
  duplicateOf,
  findDuplicate,
  insertTeaching,
  lockForWriting,
  type Existing,
  type Once,
  type TeachingAudio,
} from '../teachings/teachings.ts'
import { isRecordingReferenced, teachingWithRecording, waitForWriters } from './uploads.sql.ts'

/** A staged recording and its hash in progress. */
export interface ArrivedRecording {
  readonly staged: StagedFile
  readonly hashing: HashInProgress
  /** The SHA-256 that the client declared, in lower-case hex. */
  readonly declaredSha256?: string | undefined
  /** Aborted if the uploader leaves; given only for uploads whose bytes are then dropped. */
  readonly gone?: AbortSignal | undefined
}

/** Whether a recording becomes a new teaching or replaces the audio of one. */
export type Destination = (
  | { create: TeachingFields; uid?: string }
  | { replace: number; edit: TeachingEdit }
) & {
  /** The uploader, for the audit log. */
  by: AuditActor
  /** Makes the write idempotent: runs it in its transaction, or returns the result of an earlier run. */
  once?: Once
  /** Publishes a recording whose end is missing. */
  acceptCutOff?: boolean | undefined
  /** The person's answer about a recording that does not sound as it should; undefined from a program, which is not asked. */
  acceptSound?: boolean | undefined
}

export interface ReceivedTeaching {
  teaching: Teaching
  extension: AudioExtension
}

/**
 * The only way into the library for recordings: validates the bytes, stores the file under its hash, then writes the
 * teaching. If one recording is uploaded several times at once, exactly one upload is accepted. A refusal or failure leaves
 * no file behind; the staged file is removed in every case.
 *
 * @throws Problem `too_large`, `unsupported_audio`, `cut_off` unless that is accepted, `sounds_wrong` if that is not, `upload_damaged`, `duplicate`,
 * `revision_conflict`, `not_found`, `disk_full`
 */
export async function receiveFile(
  context: Context,
  { staged, hashing, declaredSha256, gone }: ArrivedRecording,
  destination: Destination,
): Promise<ReceivedTeaching> {
  let rewrapped: StagedFile | undefined
  try {
    if (staged.bytes > maxUploadBytes) throw new Problem('too_large')
    await staged.finish()
    // Probing runs beside hashing. If the upload is damaged, that is reported instead of unsupported audio.
    const probing = probeAudio(staged.path, gone)
    probing.catch(() => undefined)
    const { sha256, crc32 } = await hashing.finish(staged.bytes)
    if (declaredSha256 !== undefined && declaredSha256 !== sha256) throw new Problem('upload_damaged')
    const facts = await probing
    if (facts.wholeSeconds !== undefined && !destination.acceptCutOff) throw cutOff(facts)
    let stored = { file: staged, sha256, crc32 }
    if (facts.isRewrapped) {
      rewrapped = await rewrap(context, staged, gone)
      stored = { file: rewrapped, ...(await context.hashes.follow(rewrapped.path).finish(rewrapped.bytes)) }
    }
    const audio: MeasuredAudio = {
      audioUrl: `/audio/${stored.sha256}.${facts.extension}`,
      audioSha256: stored.sha256,
      audioBytes: stored.file.bytes,
      audioMime: facts.mime,
      audioCrc32: stored.crc32,
      duration: formatDuration(facts.durationSeconds),
    }
    destination = withChapters(destination, facts)
    if (destination.acceptSound === false)
      await checkSound(context, { path: stored.file.path, facts, audio, gone }, destination)
    // Concurrent uploads of one recording share a file: a refused upload must not remove it.
    const teaching = await context.locks.run(recordingKey(stored.sha256), () =>
      facts.isRewrapped
        ? acceptRewrapped(
            context,
            { staged, sha256, crc32 },
            () => accept(context, stored.file, audio, destination),
            stored.sha256,
          )
        : accept(context, stored.file, audio, destination),
    )
    return { teaching, extension: facts.extension }
  } catch (error) {
    throw asProblem(error)
  } finally {
    hashing.abandon()
    await staged.discard()
    await rewrapped?.discard()
  }
}

/** The chapters of the recording's own tag, if the new teaching was given none. */
function withChapters(destination: Destination, { chapters, durationSeconds }: AudioFacts): Destination {
  if (!('create' in destination) || destination.create.chapters || !chapters) return destination
  const own = foreignChapters(chapters.filter(({ seconds }) => seconds < durationSeconds))
  return own.length === 0
    ? destination
    : { ...destination, create: { ...destination.create, chapters: chapterLines(own) } }
}

/** Stores what arrived before the recording that was made of it is published, and removes it if that is refused. */
async function acceptRewrapped(
  context: Context,
  arrived: { staged: StagedFile; sha256: string; crc32: number },
  publish: () => Promise<Teaching>,
  publishedSha256: string,
): Promise<Teaching> {
  await keepOriginal(context, arrived, publishedSha256)
  try {
    return await publish()
  } catch (error) {
    // If the database is gone, it stays until the next backup.
    await removeUnpublishedOriginal(context, arrived.sha256).catch((failure: unknown) =>
      context.log.warn({ err: failure, sha256: arrived.sha256 }, 'an original could not be removed'),
    )
    throw error
  }
}

/** Writes a recording into a container that browsers play, without encoding it again. */
async function rewrap(
  { storage }: Context,
  { path }: StagedFile,
  gone: AbortSignal | undefined,
): Promise<StagedFile> {
  const aside = await storage.stage()
  try {
    const bytes = await rewrapAudio({ path, target: aside.path }, gone)
    if (bytes > maxUploadBytes) throw new Problem('too_large')
    return { ...aside, bytes, finish: () => aside.finish() }
  } catch (error) {
    await aside.discard()
    throw error
  }
}

function cutOff({ durationSeconds, wholeSeconds = 0 }: AudioFacts): Problem {
  const [present, whole] = [formatDuration(durationSeconds), formatDuration(wholeSeconds)]
  const reasons = [uploadTexts.isCutOff(present, whole)]
  return new Problem('cut_off', uploadTexts.cutOff(present, whole), { present, whole, reasons })
}

interface CheckedSound {
  /** The file that would be published. */
  readonly path: string
  readonly facts: AudioFacts
  readonly audio: MeasuredAudio
  readonly gone: AbortSignal | undefined
}

/** @throws Problem `sounds_wrong` with `reasons`, if a person should know something of the sound before it is published */
async function checkSound(
  { sql }: Context,
  { path, facts, audio: { audioSha256, audioBytes: bytes }, gone }: CheckedSound,
  destination: Destination,
): Promise<void> {
  // A duplicate is refused as such, or mends the file in the library.
  const isKnown =
    'create' in destination && (await findDuplicate(sql, destination.create, { sha256: audioSha256 }))
  if (isKnown) return
  const { extension, durationSeconds, declaredSeconds } = facts
  const doubts = (await hearAudio({ path, extension, bytes, seconds: durationSeconds }, gone)) ?? []
  const sentences: string[] = doubts.map((doubt) => copyTexts.faults[doubt])
  if (declaredSeconds !== undefined)
    sentences.push(uploadTexts.hiddenSound(formatDuration(declaredSeconds), formatDuration(durationSeconds)))
  if (sentences.length > 0)
    throw new Problem('sounds_wrong', uploadTexts.soundsWrong(sentences), { reasons: sentences })
}

/** At start: removes the files of a killed process, including stored recordings without a teaching. */
export async function clearUnfinishedUploads(context: Context): Promise<void> {
  const { node, storage, log } = context
  const removed = await storage.clearLeftovers({
    isAlive: (owner) => node.isRunning(owner),
    removeUnreferenced: (...file) => removeUnreferenced(context, ...file),
  })
  if (removed > 0) log.info({ removed }, 'files of unfinished uploads were removed')
}

/** Removes recordings that ended processes stored in the bucket without writing a teaching. Returns the number. */
export const clearSettlements = (context: Context): Promise<number> =>
  context.node.clearSettlements((kind, name) =>
    removeUnreferenced(context, kind, name, () => context.storage.remove('audio', name)),
  )

/** Holds the lock of the recording, as another process may be about to refer to it. */
function removeUnreferenced(
  { sql, locks }: Context,
  kind: string,
  name: string,
  remove: () => Promise<boolean>,
): Promise<boolean> {
  const sha256 = name.slice(0, 64)
  return locks.run(recordingKey(sha256), async () =>
    kind !== 'audio' || (await isRecordingReferenced(sql, sha256)) ? false : remove(),
  )
}

type MeasuredAudio = Required<TeachingAudio>

const writeAlways: Once = (_tx, write) => write()

async function accept(
  context: Context,
  staged: StagedFile,
  audio: MeasuredAudio,
  destination: Destination,
): Promise<Teaching> {
  const { sql, changes, log } = context
  const { once = writeAlways } = destination
  if ('create' in destination) {
    // Spares storing the file if it is a duplicate; the check inside the transaction decides.
    const existing = await findDuplicate(sql, destination.create, { sha256: audio.audioSha256 })
    if (existing) throw await refuseDuplicate(context, staged, audio, destination, existing)
  }
  const settlement = await settle(context, staged, audio)
  let teaching: Teaching
  let isWritten = false
  try {
    teaching = await inTransaction(sql, async (tx) => {
      await lockForWriting(tx)
      const write = () => {
        isWritten = true
        return 'create' in destination
          ? addTeaching(context, tx, destination, audio)
          : changeTeaching(context, tx, destination.replace, { ...destination, audio })
      }
      return once(tx, write, audio.audioSha256)
    })
  } catch (error) {
    if (await wasRolledBack(context, error, audio.audioSha256)) await settlement.undo()
    throw error
  }
  changes.announce()
  // The teaching is committed: if a later step fails, the next start repeats it, and the upload has not failed.
  await afterWriting().catch((error: unknown) =>
    log.error({ err: error, sha256: audio.audioSha256 }, 'an accepted recording was not tidied up after'),
  )
  return teaching

  async function afterWriting(): Promise<void> {
    await reportIfMended(context, settlement, audio, destination.by)
    // If this request was a repeated one, the recording may have been replaced and removed since its first run.
    if (isWritten || (await isRecordingReferenced(sql, audio.audioSha256))) await settlement.keep()
    else await settlement.undo()
  }
}

/** Refuses a duplicate. If the library's file of this recording is damaged or missing, it is replaced first. */
async function refuseDuplicate(
  context: Context,
  staged: StagedFile,
  audio: MeasuredAudio,
  { by }: Destination,
  existing: Existing,
): Promise<Problem> {
  const refusal = duplicateOf(existing)
  if (!(await isRecordingReferenced(context.sql, audio.audioSha256))) return refusal
  const settlement = await settle(context, staged, audio)
  await settlement.keep()
  const isMended = await reportIfMended(context, settlement, audio, by)
  return isMended ? new MendingDuplicate(existing.teaching, refusal.extra) : refusal
}

/** The refusal of a recording that has replaced the damaged file of the same recording. */
export class MendingDuplicate extends Problem {
  /** The teaching with that recording. */
  readonly teaching: Teaching

  constructor(teaching: Teaching, extra: Problem['extra']) {
    super('duplicate', uploadTexts.mended, extra)
    this.teaching = teaching
  }
}

const settle = ({ storage }: Context, staged: StagedFile, { audioUrl }: MeasuredAudio): Promise<Settlement> =>
  storage.settle(staged, 'audio', audioUrl.slice('/audio/'.length))

/** Logs that the same recording, sent again, replaced a damaged or missing file. False if it did not. */
async function reportIfMended(
  context: Context,
  { before }: Settlement,
  { audioSha256 }: MeasuredAudio,
  by: AuditActor,
): Promise<boolean> {
  const { sql, clock, log } = context
  const wasFaulty = await noteMended(context, audioSha256, { found: before === 'damaged' })
  if (!wasFaulty) return false
  log.warn(
    { sha256: audioSha256 },
    'the damaged file of a recording was replaced by the same recording, sent again',
  )
  const subject = (await teachingWithRecording(sql, audioSha256)) ?? audioSha256
  await writeAudit(
    sql,
    { actor: by, action: 'audio.mended', subject, details: { sha256: audioSha256 } },
    clock.now(),
  )
  return true
}

/**
 * Whether the write was certainly rolled back. If the connection is lost during COMMIT, the result is unknown: the file and
 * its note then stay, and the next start decides.
 */
async function wasRolledBack({ sql, log }: Context, error: unknown, sha256: string): Promise<boolean> {
  if (error instanceof Problem || isRolledBack(error)) return true
  try {
    return await inTransaction(sql, async (tx) => {
      await waitForWriters(tx)
      return !(await isRecordingReferenced(tx, sha256))
    })
  } catch (unreachable) {
    log.warn({ err: unreachable, sha256 }, 'it is not known yet whether a recording was accepted')
    return false
  }
}

async function addTeaching(
  { clock }: Context,
  tx: Transaction,
  { create: fields, uid, by }: { create: TeachingFields; uid?: string; by: AuditActor },
  audio: MeasuredAudio,
): Promise<Teaching> {
  const existing = await findDuplicate(tx, fields, { sha256: audio.audioSha256 })
  if (existing) throw duplicateOf(existing)
  const columns = { ...columnsOf(fields), ...audio, ...(uid !== undefined && { uid }) }
  const teaching = await insertTeaching(tx, columns)
  await assertWordRoom(tx)
  const { id, title, speaker, date } = teaching
  const entry = { actor: by, action: 'teaching.uploaded', subject: title, details: { id, speaker, date } }
  await writeAudit(tx, entry, clock.now())
  return teaching
}

/** Translates errors of the database and the disk into problems. */
function asProblem(error: unknown): unknown {
  const { code, constraint_name: constraint } = (error ?? {}) as { code?: string; constraint_name?: string }
  if (code === '23505' && constraint === 'teachings_audio_sha256') return new Problem('duplicate')
  // 53100: the disk of PostgreSQL is full.
  if (isDiskFull(error) || code === '53100') return new Problem('disk_full')
  return error
}
