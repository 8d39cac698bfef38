import { uploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import {
  cancelUpload,
  confirmUpload,
  correctUpload,
  pauseUpload,
  readUploads,
  resumeUpload,
  retryUpload,
} from '@fellowship/sync/client/uploads/upload-jobs'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import type { Notice } from '@fellowship/schema/notice'
import { firstSubmitProblem } from '@fellowship/schema/uploads/submit-checks'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { copyAgainToDevice } from './copy-file.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { checkDuplicate } from './uploads.queries.ts'

/** This user's upload jobs in the order they were added; none where this browser has no database. Fit for a live query. */
export const readQueue = (userId: number): Promise<readonly UploadJob[]> =>
  readUploads(uploadDatabase(), userId).catch(() => [])

export const pause = (id: string): Promise<void> => pauseUpload(uploadDatabase(), id)

export async function resume(id: string): Promise<void> {
  await resumeUpload(uploadDatabase(), id, Date.now())
  pageQueues().uploads.retryNow()
}

/** Given up, or taken off the list where it is done. */
export const remove = (id: string): Promise<void> => cancelUpload(uploadDatabase(), id)

/**
 * Better words: for what is on its way they are just noted, for what was refused they are another try.
 *
 * @returns the message where they come too late
 */
export async function correct({ id, state }: UploadJob, fields: EnteredFields): Promise<Notice | undefined> {
  if (state === 'rejected' || state === 'duplicate')
    await retryUpload(uploadDatabase(), id, { fields }, Date.now())
  else if (!(await correctUpload(uploadDatabase(), id, fields))) return texts.tooLate
  return undefined
}

/**
 * A person looked at what came from another app. SPEC §5's checks come first, and where the server answers, the one for
 * duplicates.
 *
 * @returns the message of what is missing; undefined where it goes
 */
export async function confirm(
  job: UploadJob,
  fields: EnteredFields,
  userId: number,
): Promise<Notice | undefined> {
  const problem = firstSubmitProblem({ file: job, parsedData: fields })
  if (problem) return problem
  const outcome = await checkDuplicate(job.filename, fields)
  if (outcome.kind === 'duplicate') return uploadTexts.duplicateFound(outcome.message)
  await confirmUpload(uploadDatabase(), job.id, fields, userId, Date.now())
  pageQueues().uploads.retryNow()
  return undefined
}

/** Another try; where somebody else changed the teaching meanwhile, upon what they made of it. */
export async function retry({ id, replace, lastError }: UploadJob): Promise<void> {
  const current = replace && lastError?.current
  await retryUpload(
    uploadDatabase(),
    id,
    current ? { replace: { teachingId: current.id, baseRev: current.rev } } : {},
    Date.now(),
  )
}

export const chooseAnew = (id: string, file: File): Promise<string | undefined> => copyAgainToDevice(id, file)
