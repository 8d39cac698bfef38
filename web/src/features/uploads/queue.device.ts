import { uploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import {
  askedAnswer,
  cancelUpload,
  confirmUpload,
  correctUpload,
  pauseUpload,
  readUploads,
  resumeUpload,
  retryUpload,
  takeOffList,
} from '@fellowship/sync/client/uploads/upload-jobs'
import { rebaseReplacement } from '@fellowship/sync/client/uploads/replacement'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import type { Notice } from '@fellowship/schema/notice'
import { firstSubmitProblem } from '@fellowship/schema/uploads/submit-checks'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { copyAgainToDevice } from './copy-file.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { checkDuplicate } from './uploads.queries.ts'

/** The upload jobs of this user, oldest first. For live queries. */
export const readQueue = (userId: number): Promise<readonly UploadJob[]> =>
  readUploads(uploadDatabase(), userId)

export const pause = (id: string): Promise<void> => pauseUpload(uploadDatabase(), id)

export async function resume(id: string): Promise<void> {
  await resumeUpload(uploadDatabase(), id, Date.now())
  pageQueues().uploads.retryNow()
}

export const cancel = (id: string): Promise<void> => cancelUpload(uploadDatabase(), id)

/** Removes a finished job from the list. */
export const takeOff = (id: string): Promise<void> => takeOffList(uploadDatabase(), id)

/**
 * Corrects the fields; a rejected job is retried with them, unless the server asks about its recording.
 *
 * @returns a message if it is too late
 */
export async function correct(job: UploadJob, fields: EnteredFields): Promise<Notice | undefined> {
  const { id, state } = job
  if ((state === 'rejected' || state === 'duplicate') && !askedAnswer(job))
    await retryUpload(uploadDatabase(), id, { fields }, Date.now())
  else if (!(await correctUpload(uploadDatabase(), id, fields))) return texts.tooLate
  return undefined
}

/**
 * Confirms a job that was shared from another app, after the checks of the upload form and, if the server answers, the
 * duplicate check.
 *
 * @returns the message of a failed check; undefined when the job is queued
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

/** Retries a job; if the teaching changed meanwhile, on top of its current row. */
export async function retry(job: UploadJob): Promise<void> {
  const current = job.replace && job.lastError?.current
  await retryUpload(uploadDatabase(), job.id, current ? rebaseReplacement(job, current) : {}, Date.now())
}

/** Publishes a recording that the server asks about as it is; the server has its bytes already. */
export async function publishAnyway(job: UploadJob): Promise<void> {
  const answer = askedAnswer(job)
  if (answer) await retryUpload(uploadDatabase(), job.id, { [answer]: true }, Date.now())
}

export const chooseFileAgain = (id: string, file: File): Promise<string | undefined> =>
  copyAgainToDevice(id, file)
