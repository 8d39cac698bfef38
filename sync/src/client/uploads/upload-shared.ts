import { churchDate } from '@fellowship/schema/dates'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { parseFilename } from '@fellowship/schema/uploads/parse-filename'
import { looksLikeAudio } from '@fellowship/schema/uploads/submit-checks'
import { maxSharedFiles, maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { databaseTrouble } from '../database/database-trouble.ts'
import type { UploadDatabase } from '../database/upload-database.ts'
import { addFile, type CopyDeps, type NewUpload } from './upload-copy.ts'
import { browserCopying } from './upload-copying.ts'
import { uploadFromShare, type SharedOutcome } from './upload-share-address.ts'

/**
 * Queues files that came from outside of the app: shared from another one, or opened with this one. None is sent before
 * a person has confirmed its details, and their number is limited: any site can post a form here.
 *
 * @returns why a file was not queued; undefined if all were
 * @param ownerUserId the signed-in user; null if there is none: then the files belong to the next one
 * @param keep adds one file to the queue; if it rejects after that, the job has the reason
 */
export async function takeShared(
  db: UploadDatabase,
  files: readonly File[],
  ownerUserId: number | null,
  keep: (file: File, upload: NewUpload) => Promise<unknown>,
): Promise<SharedOutcome | undefined> {
  const sounding = files.filter((file) => file.size > 0 && looksLikeAudio(file))
  if (sounding.length === 0) return 'no-audio'
  const fitting = sounding.filter(({ size }) => size <= maxUploadBytes)
  if (fitting.length === 0) return 'too-large'
  if (!(await canStore(db))) return 'not-kept'
  const countUnconfirmed = () => db.jobs.filter(({ unconfirmed }) => unconfirmed === true).count()
  const waiting = await countUnconfirmed()
  const taken = fitting.slice(0, Math.max(maxSharedFiles - waiting, 0))
  let refused = 0
  // A millisecond each, as the queue is ordered by time.
  const now = Date.now()
  for (const [at, file] of taken.entries()) {
    const fields = textOf(parseFilename(file.name, churchDate(new Date(now))))
    await keep(file, { fields, ownerUserId, unconfirmed: true, now: now + at }).catch(() => (refused += 1))
  }
  // Files that failed after they were queued are shown in the queue.
  if (refused > 0 && (await countUnconfirmed()) < waiting + taken.length) return 'no-room'
  if (taken.length < fitting.length) return 'too-many'
  if (fitting.length < sounding.length) return 'too-large'
  return sounding.length < files.length ? 'no-audio' : undefined
}

/**
 * Answers the form that the system posts when a file is shared: stores the bytes, then redirects to the library. The
 * database is the service worker's own, which is never in memory: no page could read it there.
 *
 * @param owner reads the signed-in user
 */
export async function answerShare(
  db: UploadDatabase,
  request: Request,
  owner: () => Promise<number | undefined>,
  deps: CopyDeps = browserCopying,
): Promise<Response> {
  const form = await request.formData()
  const files = form.getAll(uploadFromShare.field).filter((part) => part instanceof File)
  const ownerUserId = (await owner().catch(() => undefined)) ?? null
  const outcome = await takeShared(db, files, ownerUserId, (file, upload) => addFile(db, file, upload, deps))
  const query = new URLSearchParams({ focus: 'upload', ...(outcome && { shared: outcome }) })
  // 303: the browser loads a page then, and posts no form again.
  return Response.redirect(new URL(`/teaching?${query.toString()}`, request.url), 303)
}

/** Whether the database can be opened; one that a newer build has upgraded is there, and reports its trouble itself. */
const canStore = async (db: UploadDatabase): Promise<boolean> =>
  databaseTrouble() !== undefined ||
  db.open().then(
    () => true,
    () => databaseTrouble() !== undefined,
  )
