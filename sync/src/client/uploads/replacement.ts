import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { editOf, textOf, wordsIn } from '@fellowship/schema/teachings/teaching-words'
import { CallError } from '../../call/call-error.ts'
import { merge, patchBetween } from '../../protocol/merge.ts'
import type { UploadJob } from '../database/upload-database.ts'

/** A recording that takes the place of another one, which may take minutes to send: the teaching is edited meanwhile. */

/** The teaching on the server, as it came with a conflict; undefined if it is not a whole one, or another one. */
export function currentOf({ replace }: UploadJob, error: unknown): Teaching | undefined {
  if (!(error instanceof CallError) || error.code !== 'revision_conflict') return undefined
  const { current } = error.body
  const isTeaching = teachings.update.answer.safeParse(current).success
  const teaching = isTeaching ? (current as Teaching) : undefined
  return teaching?.uid === replace?.uid ? teaching : undefined
}

/** The words that the person changed; all words, if an earlier build did not store those they saw. */
const patchOf = ({ seen, fields }: UploadJob) =>
  seen ? patchBetween(seen.text, wordsIn(fields)) : wordsIn(fields)

/** Whether a person has to decide: others changed the same words, the recording is another one than this person saw, or the words that this person saw were not stored. */
export function hasConflict(job: UploadJob, current: Teaching): boolean {
  if (!job.seen || current.audioUrl !== job.seen.audioUrl) return true
  return merge(job.seen.text, patchOf(job), textOf(current)).outcome === 'conflict'
}

/** The replacement of the teaching as it is now: with the words that the person changed, and all others as they are. */
export function rebaseReplacement(
  job: UploadJob,
  current: Teaching,
): Pick<UploadJob, 'fields' | 'replace' | 'seen'> {
  const { id: teachingId, rev: baseRev, uid } = current
  return {
    fields: editOf(textOf(current), patchOf(job)),
    replace: { teachingId, baseRev, uid },
    seen: seenOf(current),
  }
}

/** The words of a teaching at the choice of another recording for it. */
export const seenOf = (shown: Teaching): NonNullable<UploadJob['seen']> => ({
  text: textOf(shown),
  audioUrl: shown.audioUrl,
})
