import { Problem } from '@fellowship/schema/problem'
import type { Teaching, TeachingEdit, TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { maxUploadBytes, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { writeAudit, type AuditActor } from '../../db/audit-log.ts'
import { isRolledBack, type Transaction } from '../../db/connection.ts'
import { formatDuration, probeAudio } from '../../machine/audio/audio-probe.ts'
import type { HashInProgress } from '../../machine/storage/file-hash.ts'
import { recordingLock } from '../../machine/recording-lock.ts'
import { isDiskFull, type StagedFile } from '../../machine/storage/storage.ts'
import {
  changeTeaching,
  columnsOf,
  duplicateOf,
  findDuplicate,
  insertTeaching,
  lockForWriting,
  type Once,
  type TeachingAudio,
} from '../teachings/teachings.ts'
import { isRecordingReferenced, waitForWriters } from './uploads.sql.ts'

/** A recording that has arrived, aside, and what hashes it. */
export interface ArrivedRecording {
  readonly staged: StagedFile
  readonly hashing: HashInProgress
  /** What its sender says it hashes to, lower-case hex. */
  readonly declaredSha256?: string | undefined
}

/** What to do with it: a teaching of its own, or the new audio of one there is. */
export type Destination = (
  | { create: TeachingFields; uid?: string }
  | { replace: number; edit: TeachingEdit }
) & {
  /** Who sent it, for the audit log. */
  by: AuditActor
  /** Runs the writing inside its transaction, or answers as an earlier time that did the same. */
  once?: Once
}

export interface ReceivedTeaching {
  teaching: Teaching
  extension: AudioExtension
}

/**
 * The one way in for recordings, through whichever door they came: judged by their bytes, named after their hash, put
 * into place, and only then known to the library. Of the same recording sent several times at once one gets in. What
 * is refused, or breaks on the way, leaves nothing behind; the staged file is gone in every case.
 *
 * @throws Problem `too_large`, `unsupported_audio`, `upload_damaged`, `duplicate`, `revision_conflict`, `not_found`,
 * `disk_full`
 */
export async function receiveFile(
  context: Context,
  { staged, hashing, declaredSha256 }: ArrivedRecording,
  destination: Destination,
): Promise<ReceivedTeaching> {
  try {
    if (staged.bytes > maxUploadBytes) throw new Problem('too_large')
    await staged.finish()
    // Side by side; but of bytes that are not those that were sent nobody wants to hear what kind they are.
    const probing = probeAudio(staged.path)
    probing.catch(() => undefined)
    const { sha256, crc32 } = await hashing.finish(staged.bytes)
    if (declaredSha256 !== undefined && declaredSha256 !== sha256) throw new Problem('upload_damaged')
    const facts = await probing
    const audio: MeasuredAudio = {
      audioUrl: `/audio/${sha256}.${facts.extension}`,
      audioSha256: sha256,
      audioBytes: staged.bytes,
      audioMime: facts.mime,
      audioCrc32: crc32,
      duration: formatDuration(facts.durationSeconds),
    }
    // Two that bring the same bytes settle the same file: the one that loses must not take it from the other.
    const teaching = await recordingLock(sha256, () => keep(context, staged, audio, destination))
    return { teaching, extension: facts.extension }
  } catch (error) {
    throw asRefusal(error)
  } finally {
    hashing.abandon()
    await staged.discard()
  }
}

/**
 * At start: removes what a killed process left on its way in, also a recording that had its place but not yet its
 * teaching.
 */
export async function clearUnfinishedUploads({ sql, storage, log }: Context): Promise<void> {
  const removed = await storage.clearLeftovers(async (kind, name) => {
    return kind !== 'audio' || isRecordingReferenced(sql, name.slice(0, 64))
  })
  if (removed > 0) log.info({ removed }, 'files of unfinished uploads were removed')
}

type MeasuredAudio = Required<TeachingAudio>

const always: Once = (_tx, write) => write()

async function keep(
  context: Context,
  staged: StagedFile,
  audio: MeasuredAudio,
  destination: Destination,
): Promise<Teaching> {
  const { sql, storage, changes } = context
  const { once = always } = destination
  if ('create' in destination) {
    // Asked again inside the transaction; here it saves a doomed file its place.
    const existing = await findDuplicate(sql, destination.create, { sha256: audio.audioSha256 })
    if (existing) throw duplicateOf(existing)
  }
  const settlement = await storage.settle(staged, 'audio', audio.audioUrl.slice('/audio/'.length))
  let teaching: Teaching
  let isWritten = false
  try {
    teaching = (await sql.begin(async (tx) => {
      await lockForWriting(tx)
      const write = () => {
        isWritten = true
        return 'create' in destination
          ? addTeaching(context, tx, destination, audio)
          : changeTeaching(context, tx, destination.replace, { ...destination, audio })
      }
      return once(tx, write, audio.audioSha256)
    })) as Teaching
  } catch (error) {
    if (await wasRolledBack(context, error, audio.audioSha256)) await settlement.undo()
    throw error
  }
  // Answered as an earlier time: the recording may have been replaced and swept away since.
  if (isWritten || (await isRecordingReferenced(sql, audio.audioSha256))) await settlement.keep()
  else await settlement.undo()
  changes.announce()
  return teaching
}

/**
 * A connection lost during COMMIT leaves open what became of it. The recording goes only when it is certain that no
 * teaching has it; else the note of its settling stays, and the next start decides.
 */
async function wasRolledBack({ sql, log }: Context, error: unknown, sha256: string): Promise<boolean> {
  if (error instanceof Problem || isRolledBack(error)) return true
  try {
    return (await sql.begin(async (tx) => {
      await waitForWriters(tx)
      return !(await isRecordingReferenced(tx, sha256))
    })) as boolean
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
  const { id, title, speaker, date } = teaching
  const entry = { actor: by, action: 'teaching.uploaded', subject: title, details: { id, speaker, date } }
  await writeAudit(tx, entry, clock.now())
  return teaching
}

/** What only the database or the disk can know, in the product's words. */
function asRefusal(error: unknown): unknown {
  const { code, constraint_name: constraint } = (error ?? {}) as { code?: string; constraint_name?: string }
  if (code === '23505' && constraint === 'teachings_audio_sha256') return new Problem('duplicate')
  // 53100: PostgreSQL's own disk.
  if (isDiskFull(error) || code === '53100') return new Problem('disk_full')
  return error
}
