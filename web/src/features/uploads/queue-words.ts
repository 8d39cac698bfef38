import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { UploadJob } from '@fellowship/sync/client/database/upload-database'
import { progressOf } from '@fellowship/sync/protocol/upload-pace'
import { fileSize } from '../../lib/file-size.ts'

/*
 * Every sentence about the state of uploads. Each is a function of the jobs, which are subscribed to the database, and of the
 * connection.
 */

/** Whether the page may be closed; empty if nothing is waiting. */
export function queueWords(jobs: readonly UploadJob[], inMemory: boolean): string {
  const isUnfinished = jobs.some(({ state }) => state !== 'done' && state !== 'lost')
  if (inMemory) return isUnfinished ? texts.keepOpen : ''
  if (jobs.some(({ state }) => state === 'copying')) return texts.keepOpenToSave
  return isUnfinished ? texts.mayClose : ''
}

export function stateWords(job: UploadJob, isOnline: boolean): string {
  const { state, paused, copied, size, attempts, lastError, replace, unconfirmed } = job
  if (state === 'copying') return `${texts.saving} ${Math.floor((copied / size) * 100)} %`
  if (state === 'done') {
    const done = replace ? texts.replaced : texts.done
    const words = lastError ? texts.textRefused(done, lastError.sentence) : done
    const without = (job.refusedHandouts ?? []).map((each) => texts.handoutRefused(each.name, each.sentence))
    return [without.length > 0 && !lastError ? `${words}.` : words, ...without].join(' ')
  }
  if (state === 'duplicate') return [texts.duplicate, lastError?.sentence].filter(Boolean).join(' ')
  if (state === 'rejected' || state === 'lost') return lastError?.sentence ?? ''
  if (state === 'blocked_auth') return texts.signIn
  if (unconfirmed) return texts.shared
  if (paused) return texts.paused
  if (state === 'finalizing') return texts.checking
  if (state === 'uploading' || state === 'creating') return `${progressOf(job).percent} %`
  if (isOnline && attempts > 0 && lastError && shownErrors.includes(lastError.code)) return lastError.sentence
  if (isOnline && attempts === 0) return texts.waiting
  const isAnswered = isOnline && lastError !== undefined && lastError.code !== 'network'
  return isAnswered ? texts.waitingForServer : texts.waitingForConnection
}

/** Errors of the server that are shown instead of the connection's state. */
const shownErrors = ['too_many_uploads', 'disk_full']

/** '18 of 30 MB', with rate and time left if they are known during sending; empty before the first byte. */
export function progressWords(job: UploadJob): string {
  if (job.acknowledged === 0 && job.state !== 'uploading') return ''
  const { bytes, total, rate, secondsLeft } = progressOf(job)
  const parts = [partOf(bytes, total)]
  if (job.state === 'uploading' && !job.paused && rate !== undefined && secondsLeft !== undefined)
    parts.push(`${fileSize(rate)}/s`, `${timeLeft(secondsLeft)} left`)
  return parts.join(' · ')
}

/** '18 MB of 30 MB'; with tenths if the whole is so small that the number would stand still while the percentage grows. */
function partOf(bytes: number, total: number): string {
  const isSmall = total >= 1_000_000 && total < 10_000_000
  const size = isSmall ? (count: number) => `${(count / 1_000_000).toFixed(1)} MB` : fileSize
  return `${size(bytes)} of ${size(total)}`
}

/** 'a few seconds', '40 s', '3 min', '2 h'. */
export function timeLeft(seconds: number): string {
  if (seconds < 10) return 'a few seconds'
  if (seconds < 90) return `${Math.ceil(seconds / 10) * 10} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}

export const needsUser = ({ state, unconfirmed }: UploadJob): boolean =>
  (unconfirmed === true && state !== 'copying') ||
  ['duplicate', 'rejected', 'lost', 'blocked_auth'].includes(state)

export const isSending = ({ state, paused }: UploadJob): boolean =>
  !paused && ['creating', 'uploading', 'finalizing'].includes(state)

/** Whether a job shows its progress; a rejected one does not, though all of it was sent. */
export const showsProgress = (job: UploadJob): boolean =>
  isSending(job) ||
  job.state === 'copying' ||
  (job.acknowledged > 0 && !['done', 'lost', 'rejected', 'duplicate'].includes(job.state))
