import path from 'node:path'
import type { copies, SoundNote } from '@fellowship/schema/copies/copies.contract'
import { movedChapters } from '@fellowship/schema/chapters/chapters'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { sound, trimOf } from '@fellowship/sound/measure/sound-file'
import { isTrimmable } from '@fellowship/sound/write/trim'
import type { AnswerOf, BodyOf } from '@fellowship/schema/endpoint'
import { Problem } from '@fellowship/schema/problem'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/connection.ts'
import type { Actor } from '../../db/audit-log.ts'
import { trimAudio } from '../../machine/audio/audio-reader.ts'
import { isDiskFull } from '../../machine/storage/storage.ts'
import { recordingKey } from '../audio/audio.ts'
import { changeTeaching, lockForWriting, findTeaching, type TeachingAudio } from '../teachings/teachings.ts'
import { moveTexts } from '../transcripts/transcripts.ts'
import { receiveFile } from '../uploads/uploads.ts'
import { removeUnlessUsed } from './copy-files.ts'
import {
  forgetUnusedTrims,
  measuredTeaching,
  noteTrimmed,
  soundNoteRows,
  unmeasuredTeachings,
  untouchedOf,
  type MeasuredTeaching,
  type SoundNoteRow,
  type UntouchedRecording,
} from './copies.sql.ts'

/** The teaching and the revision that the user saw. */
type Seen = BodyOf<typeof copies.trim>

/** Faults of recordings, trimmed recordings, and those that are not measured yet. */
export async function soundNotes({ sql }: Pick<Context, 'sql'>): Promise<AnswerOf<typeof copies.sounds>> {
  const unmeasured = await unmeasuredTeachings(sql)
  const those = (waits: boolean) => unmeasured.filter((row) => row.waits === waits).map(({ uid }) => uid)
  return { notes: (await soundNoteRows(sql)).map(noteOf), waiting: those(true), unmeasurable: those(false) }
}

/**
 * Cuts long silences off both ends of a teaching's recording. The trimmed recording replaces it like an upload; the untouched
 * one is kept for `untrimTeaching`.
 *
 * @throws Problem `not_found`, `revision_conflict`, `invalid_input` if there is no long silence, `unsupported_audio`,
 * `disk_full`
 */
export async function trimTeaching(context: Context, id: number, seen: Seen, by: Actor): Promise<Teaching> {
  const { sql, storage, hashes } = context
  const current = await findTeaching(sql, id)
  const recording = await measuredTeaching(sql, id)
  const untouched = recording && recordingOf(recording)
  if (!current || !untouched) throw new Problem('not_found', 'There is no recording to trim.')
  const extension = extensionOf(untouched.audioUrl)
  if (!isTrimmable(extension)) throw new Problem('unsupported_audio', copyTexts.notTrimmable)
  const cut = recording.sound === null ? undefined : trimOf(sound.parse(JSON.parse(recording.sound)))
  if (!cut) throw new Problem('invalid_input', copyTexts.nothingToTrim)

  const name = nameOf(untouched)
  if ((await storage.stat('audio', name))?.bytes !== untouched.audioBytes)
    throw new Problem('not_found', copyTexts.fileMissing)
  const aside = await storage.stage()
  try {
    const bytes = await storage
      .withPath('audio', name, (file) => trimAudio({ path: file, extension, target: aside.path, ...cut }))
      .catch((error: unknown) => {
        throw isDiskFull(error) ? new Problem('disk_full') : error
      })
    if (bytes === undefined) throw new Problem('not_found', copyTexts.fileMissing)
    const staged = { ...aside, bytes, finish: () => aside.finish() }
    // If it is trimmed twice, the first recording is still the untouched one.
    const earlier = await untouchedOf(sql, untouched.audioSha256)
    const first = { ...(earlier ?? untouched), startSeconds: (earlier?.startSeconds ?? 0) + cut.start }
    const length = (secondsOf(untouched.duration) ?? 0) - cut.start - cut.end
    const chapters = movedChapters(current.chapters, cut.start, length)
    const edit = {
      ...textOf(current),
      chapters,
      baseRev: seen.baseRev ?? current.rev,
      uid: seen.uid ?? current.uid,
    }
    const { teaching } = await receiveFile(
      context,
      { staged, hashing: hashes.follow(aside.path) },
      {
        replace: id,
        edit,
        by,
        once: async (tx, write, sha256) => {
          // First, so that the answer has their revision.
          await moveTexts(tx, current.uid, cut.start)
          const written = await write()
          await noteTrimmed(tx, sha256!, first)
          return written
        },
      },
    )
    return teaching
  } finally {
    await aside.discard()
  }
}

/**
 * Brings back the untouched recording of a trimmed one.
 *
 * @throws Problem `not_found`, `revision_conflict`, `duplicate`
 */
export async function untrimTeaching(context: Context, id: number, seen: Seen, by: Actor): Promise<Teaching> {
  const { sql, storage, locks, changes } = context
  const current = await findTeaching(sql, id)
  const recording = await measuredTeaching(sql, id)
  const untouched = recording?.audioSha256 ? await untouchedOf(sql, recording.audioSha256) : undefined
  if (!current || !untouched) throw new Problem('not_found', copyTexts.notTrimmed)
  const chapters = movedChapters(
    current.chapters,
    -untouched.startSeconds,
    secondsOf(untouched.duration) ?? Infinity,
  )
  // If the client sent no revision, compare with the one read here: the recording may be replaced meanwhile.
  const edit = {
    ...textOf(current),
    chapters,
    baseRev: seen.baseRev ?? current.rev,
    uid: seen.uid ?? current.uid,
  }
  const { startSeconds: _, ...audio } = untouched
  const teaching = await locks.run(recordingKey(untouched.audioSha256), async () => {
    const stored = await storage.stat('audio', nameOf(untouched))
    if (stored?.bytes !== untouched.audioBytes) throw new Problem('not_found', copyTexts.untouchedMissing)
    return await inTransaction(sql, async (tx) => {
      await lockForWriting(tx)
      await moveTexts(tx, current.uid, -untouched.startSeconds)
      return changeTeaching(context, tx, id, { edit, by, audio: audio as Required<TeachingAudio> })
    })
  })
  changes.announce()
  return teaching
}

/** Deletes the originals of purged trimmed recordings. Call it when the trimmed recordings were deleted. */
export async function removeUnusedUntouched(
  context: Pick<Context, 'sql' | 'storage' | 'locks'>,
): Promise<void> {
  for (const audioUrl of await forgetUnusedTrims(context.sql))
    await removeUnlessUsed(context, audioUrl.slice('/audio/'.length))
}

function noteOf({
  sound: measured,
  audioUrl,
  untouchedBytes,
  untouchedDuration,
  ...row
}: SoundNoteRow): SoundNote {
  const canTrim = measured !== null && isTrimmable(extensionOf(audioUrl))
  return {
    ...row,
    trim: (canTrim && trimOf(sound.parse(JSON.parse(measured)))) || null,
    untouched: untouchedBytes === null ? null : { bytes: untouchedBytes, duration: untouchedDuration },
  }
}

function recordingOf(row: MeasuredTeaching): UntouchedRecording | undefined {
  const { audioUrl, audioSha256, audioBytes, audioMime, audioCrc32, duration } = row
  if (audioUrl === null || audioSha256 === null || audioBytes === null || audioMime === null) return undefined
  return { audioUrl, audioSha256, audioBytes, audioMime, audioCrc32, duration }
}

const nameOf = ({ audioUrl }: UntouchedRecording) => audioUrl.slice('/audio/'.length)

const extensionOf = (audioUrl: string) => path.extname(audioUrl).slice(1)
