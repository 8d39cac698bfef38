import { beyondEnd, chaptersOf, chapterTitle } from '@fellowship/schema/chapters/chapters'
import { chapterTexts } from '@fellowship/schema/chapters/chapters.texts'
import { yearOf } from '@fellowship/schema/dates'
import { Problem } from '@fellowship/schema/problem'
import { parseScripture } from '@fellowship/schema/scripture'
import { isSameTeaching } from '@fellowship/schema/teachings/duplicate'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import {
  storedWords,
  type TeachingText,
  teachingWords,
  wordNames,
} from '@fellowship/schema/teachings/teaching-words'
import type { Teaching, TeachingEdit } from '@fellowship/schema/teachings/teachings.schema'
import { syncedWordBytes } from '@fellowship/schema/sync/sync.limits'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { refusalFor, type Target } from '@fellowship/sync/server/mutation'
import type { Context } from '../../context.ts'
import { type AuditActor, writeAudit } from '../../db/audit-log.ts'
import type { Sql, Transaction } from '../../db/connection.ts'
import { changeRows, textBytes } from '../../db/synced-rows.ts'
import {
  findTarget,
  noteMovedAudio,
  type TeachingAudio,
  type TeachingColumns,
  teachingsOfDay,
  teachingWithAudio,
  updateTeaching,
} from './teachings.sql.ts'

/**
 * Makes a write idempotent: runs it in its transaction, or returns the result of an earlier run of the same request.
 *
 * @param sha256 of the recording, if the request has one
 */
export type Once = (
  tx: Transaction,
  write: () => Promise<Teaching>,
  sha256: string | undefined,
) => Promise<Teaching>

/**
 * Edits the fields of a teaching, without new audio.
 *
 * @throws Problem `not_found`, `revision_conflict`, `duplicate` or `idempotency_mismatch`
 */
export function editTeaching(
  context: Context,
  id: number,
  edit: TeachingEdit,
  by: AuditActor,
  once: Once = (_tx, write) => write(),
): Promise<Teaching> {
  return changeRows(context, (tx) => once(tx, () => changeTeaching(context, tx, id, { edit, by }), undefined))
}

/**
 * Writes an edit, with new audio if there is any. Call it after `lockForWriting`.
 *
 * @throws Problem `not_found`, `revision_conflict` (with `current`) or `duplicate`
 */
export async function changeTeaching(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  number: number,
  { edit, by, audio }: { edit: TeachingEdit; by: AuditActor; audio?: Required<TeachingAudio> },
): Promise<Teaching> {
  const current = await targetOf(tx, number, edit, 'This teaching was deleted.')
  const { id } = current
  const existing = await findDuplicate(tx, edit, { except: id, ...(audio && { sha256: audio.audioSha256 }) })
  // Teachings that were duplicates before may be edited.
  if (existing && !isSameTeaching(current, existing.teaching)) throw duplicateOf(existing)
  const before = audioSha256Of(current)
  if (audio && before !== undefined && before !== audio.audioSha256) {
    await noteMovedAudio(tx, before, audio.audioSha256)
  }
  assertInside(edit, current, audio)
  const changed = (await updateTeaching(tx, id, { ...columnsOf(edit), ...audio }))!
  if (lengthOf(changed) > lengthOf(current)) await assertWordRoom(tx)
  const entry = { actor: by, action: 'teaching.edited', subject: changed.title }
  await writeAudit(tx, { ...entry, details: { id, changed: differences(current, changed) } }, clock.now())
  return changed
}

/** @throws Problem `invalid_input` if new chapters begin after the end of the recording */
function assertInside(
  { chapters }: TeachingEdit,
  current: Teaching,
  { duration }: Pick<TeachingAudio, 'duration'> = current,
): void {
  const length = secondsOf(duration ?? null)
  if (!chapters || chapters === current.chapters || length === null) return
  // A recording of 12.7 seconds is stored as '0:12'.
  const beyond = beyondEnd(chaptersOf(chapters), length + 1)
  if (beyond) throw new Problem('invalid_input', chapterTexts.beyond(chapterTitle(beyond)))
}

/**
 * The live teaching that a change was made for. Call it after `lockForWriting`.
 *
 * @param gone the sentence if there is none
 * @throws Problem `not_found`, `revision_conflict` (with `current`)
 */
export async function targetOf(tx: Transaction, id: number, target: Target, gone: string): Promise<Teaching> {
  const found = await findTarget(tx, id, target)
  const refusal = refusalFor(found && { ...found.current, sameSince: found.sameSince }, target)
  if (!found || refusal === 'not_found') throw new Problem('not_found', gone)
  if (refusal) throw new Problem(refusal, undefined, { current: found.current })
  return found.current
}

/** The existing teaching, in the refusal of a duplicate. */
export type DuplicateOf = Pick<Teaching, 'id' | 'uid' | 'title' | 'scriptureReference' | 'speaker' | 'date'>

/** The teaching of which another one would be a duplicate. */
export interface Existing {
  readonly teaching: Teaching
  /** Whether it has the very same recording, byte by byte. */
  readonly sameRecording: boolean
}

/** The refusal of a duplicate, naming the existing teaching. */
export function duplicateOf({ teaching, sameRecording }: Existing): Problem {
  const { id, uid, title, scriptureReference, speaker, date } = teaching
  const first: DuplicateOf = { id, uid, title, scriptureReference, speaker, date }
  const sentence = uploadTexts.duplicateOf(nameOfTeaching(first), { same: sameRecording })
  return new Problem('duplicate', sentence, { duplicateOf: first, sameRecording })
}

const lengthOf = (teaching: Teaching): number =>
  wordNames.reduce((sum, name) => sum + (teaching[name] ?? '').length, 0)

/**
 * Checks the words of all teachings after a change of them.
 *
 * @throws Problem `invalid_input`
 */
export async function assertWordRoom(tx: Transaction): Promise<void> {
  if ((await textBytes(tx, 'teachings', wordNames)) > syncedWordBytes.teachings)
    throw new Problem('invalid_input', teachingTexts.libraryFull)
}

/** The fields that an edit changed, for the audit log. */
function differences(before: Teaching, after: Teaching): string[] {
  const words = wordNames.flatMap((name) =>
    before[name] === after[name] ? [] : [teachingWords[name].changed as string],
  )
  return before.audioUrl === after.audioUrl ? words : [...words, 'recording']
}

const audioSha256Of = ({ audioUrl }: Teaching) => /^\/audio\/([0-9a-f]{64})\./.exec(audioUrl ?? '')?.[1]

/** The columns of validated fields: with the year of the date and the passage as comparable numbers. */
export function columnsOf(fields: TeachingText): TeachingColumns {
  const { title, date, scriptureReference } = fields
  const ranges = parseScripture(scriptureReference)?.ranges ?? []
  return {
    ...storedWords(fields),
    // A list needs a title; the passage stands in for a missing one.
    title: title || scriptureReference,
    year: yearOf(date),
    scriptureStart: ranges.length > 0 ? Math.min(...ranges.map(({ start }) => start)) : null,
    scriptureEnd: ranges.length > 0 ? Math.max(...ranges.map(({ end }) => end)) : null,
  }
}

/**
 * The teaching of which a new one would be a duplicate: the same recording, or the same date, speaker and title; or
 * scripture, if one of them has no title.
 *
 * @param except the id of a teaching that is being changed
 */
export async function findDuplicate(
  sql: Sql,
  candidate: TeachingText,
  { sha256, except }: { sha256?: string; except?: number } = {},
): Promise<Existing | undefined> {
  const sameAudio = sha256 === undefined ? undefined : await teachingWithAudio(sql, sha256)
  if (sameAudio && sameAudio.id !== except) return { teaching: sameAudio, sameRecording: true }
  const sameDay = await teachingsOfDay(sql, candidate.date)
  const teaching = sameDay.find((other) => other.id !== except && isSameTeaching(candidate, other))
  return teaching && { teaching, sameRecording: false }
}
