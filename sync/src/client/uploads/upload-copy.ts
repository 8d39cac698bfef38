import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { Problem } from '@fellowship/schema/problem'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { isQuota } from '../../protocol/quota.ts'
import { uuidv7 } from '../../protocol/uuid.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { handoutsOf, type UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import { askedAnswer, cancelUpload, deleteChunks, needsOtherFile } from './upload-jobs.ts'

/** The part of a file that copying uses. */
export type CopyableFile = Pick<File, 'name' | 'size' | 'slice'>

/** A file that becomes a handout. */
interface NewHandout {
  name: string
  data: ArrayBuffer
}

export interface NewUpload {
  fields: EnteredFields
  /** Null if no user is signed in. */
  ownerUserId: number | null
  replace?: UploadJob['replace']
  seen?: UploadJob['seen']
  captions?: UploadJob['captions']
  handouts?: readonly NewHandout[] | undefined
  /** A person has to confirm it first. */
  unconfirmed?: true | undefined
  /** The person saw how it sounds. */
  acceptSound?: true
  /** Epoch milliseconds. */
  now: number
}

export interface CopyDeps {
  /**
   * Runs `work` under a Web Lock of this job, so that every tab sees that it is being copied, and when this page is
   * closed, that it is not any more.
   */
  hold: <T>(jobId: string, work: () => Promise<T>) => Promise<T>
  /** Yields to rendering and input between two slices. */
  yieldToMain: () => Promise<void>
}

/** Hashing a megabyte takes tens of milliseconds on a phone, and blocks the page meanwhile. */
const sliceBytes = 256 * 1024

/**
 * Adds a file to the queue: the job at once, then its bytes, which are hashed on the way. The chosen file itself may
 * change, move or become unreadable at any time. With its last chunk, and not before, the job is queued and the page may
 * be closed. Runs in a page or a worker.
 *
 * @returns the job's id when all is copied; undefined if it was cancelled meanwhile
 * @throws Problem `invalid_input` (empty), `too_large`, before there is a job; the error of reading or
 * storing, after the job was marked as lost
 */
export async function addFile(
  db: UploadDatabase,
  file: CopyableFile,
  upload: NewUpload,
  deps: CopyDeps,
): Promise<string | undefined> {
  checkSize(file)
  const job = newJob(file, upload)
  return deps.hold(job.id, async () => {
    await db.transaction('rw', db.jobs, db.chunks, async () => {
      await db.jobs.add(job)
      for (const [index, { data }] of (upload.handouts ?? []).entries())
        await db.chunks.add({ jobId: handoutsOf(job.id), index, data })
    })
    return copy(db, job, file, deps)
  })
}

/**
 * Copies the file of a lost job, or another one for a refused job. It may have changed, so it becomes another
 * upload on the server. Returns and throws as `addFile`.
 */
export async function chooseAgain(
  db: UploadDatabase,
  id: string,
  file: CopyableFile,
  now: number,
  deps: CopyDeps,
): Promise<string | undefined> {
  checkSize(file)
  const refused = await db.jobs.get(id)
  if (refused && (askedAnswer(refused) || needsOtherFile(refused))) {
    const handouts = await storedHandouts(db, refused)
    const added = await addFile(db, file, { ...withoutAnswer(refused), handouts, now }, deps)
    // Only then, because the new file may turn out to be unreadable.
    if (added !== undefined) await cancelUpload(db, id)
    return added
  }
  return deps.hold(id, async () => {
    const job = await renew(db, id, file, now)
    return job && copy(db, job, file, deps)
  })
}

/** Replaces a lost job by a new one in its place: its attempts, waits and answers were about the earlier file. */
async function renew(
  db: UploadDatabase,
  id: string,
  file: CopyableFile,
  now: number,
): Promise<UploadJob | undefined> {
  return db.transaction('rw', db.jobs, db.chunks, async () => {
    const lost = await db.jobs.get(id)
    if (lost?.state !== 'lost') return undefined
    await deleteChunks(db, id)
    const { handouts, createdAt } = lost
    const job = {
      ...newJob(file, { ...withoutAnswer(lost), now }),
      id,
      createdAt,
      ...(handouts && { handouts }),
    }
    await db.jobs.put(job)
    return job
  })
}

/** The answer was about the sound of the earlier file. */
function withoutAnswer(job: UploadJob): Omit<UploadJob, 'acceptSound' | 'handouts'> {
  const { acceptSound: _, handouts: _names, ...upload } = job
  return upload
}

async function storedHandouts(db: UploadDatabase, { id, handouts = [] }: UploadJob): Promise<NewHandout[]> {
  const rows = await db.chunks.bulkGet(handouts.map((_, at) => [handoutsOf(id), at]))
  return handouts.flatMap((name, at) => (rows[at] ? [{ name, data: rows[at].data }] : []))
}

/**
 * Finds copies that a closed page or a dead battery interrupted, and marks them as lost. Half a file is never sent; the
 * person is asked to choose it again.
 *
 * @param isHeld whether some page is copying it right now
 */
export async function findInterruptedCopies(
  db: UploadDatabase,
  isHeld: (jobId: string) => Promise<boolean>,
): Promise<void> {
  for (const { id } of await db.jobs.filter(({ state }) => state === 'copying').toArray()) {
    if (await isHeld(id)) continue
    await lose(db, id, {
      code: 'interrupted',
      sentence: texts.interrupted,
    })
  }
}

async function copy(
  db: UploadDatabase,
  { id, size }: UploadJob,
  file: CopyableFile,
  { yieldToMain }: CopyDeps,
): Promise<string | undefined> {
  const hash = sha256.create()
  try {
    for (let index = 0; index * chunkBytes < size; index += 1) {
      const data = await file
        .slice(index * chunkBytes, Math.min((index + 1) * chunkBytes, size))
        .arrayBuffer()
      if (data.byteLength !== Math.min(chunkBytes, size - index * chunkBytes))
        throw new Error('The file became shorter.')
      for (let at = 0; at < data.byteLength; at += sliceBytes) {
        hash.update(new Uint8Array(data, at, Math.min(sliceBytes, data.byteLength - at)))
        await yieldToMain()
      }
      const copied = index * chunkBytes + data.byteLength
      const end = copied === size ? { state: 'queued' as const, sha256: bytesToHex(hash.digest()) } : {}
      if (!(await saveChunk(db, { jobId: id, index, data }, { copied, ...end }))) return undefined
    }
    return id
  } catch (error) {
    await lose(db, id, reasonOf(error)).catch(() => undefined)
    throw error
  }
}

/** Stores a chunk and the job's count of bytes in one transaction; returns false if the job was cancelled. */
async function saveChunk(
  db: UploadDatabase,
  chunk: { jobId: string; index: number; data: ArrayBuffer },
  changes: Partial<UploadJob>,
): Promise<boolean> {
  return db.transaction('rw', db.jobs, db.chunks, async () => {
    const job = await db.jobs.get(chunk.jobId)
    if (job?.state !== 'copying') return false
    await db.chunks.put(chunk)
    await db.jobs.update(chunk.jobId, changes)
    return true
  })
}

async function lose(db: UploadDatabase, id: string, lastError: UploadJob['lastError']): Promise<void> {
  await db.transaction('rw', db.jobs, db.chunks, async () => {
    const job = await db.jobs.get(id)
    if (job?.state !== 'copying') return
    await deleteChunks(db, id)
    await db.jobs.update(id, { state: 'lost', copied: 0, lastError: lastError! })
  })
}

function reasonOf(error: unknown): NonNullable<UploadJob['lastError']> {
  return isQuota(error)
    ? { code: 'device_full', sentence: texts.deviceFull }
    : { code: 'unreadable', sentence: texts.unreadable }
}

function checkSize({ size }: CopyableFile): void {
  if (size === 0) throw new Problem('invalid_input', texts.empty)
  if (size > maxUploadBytes) throw new Problem('too_large')
}

function newJob(
  { name, size }: CopyableFile,
  { fields, ownerUserId, replace, seen, captions, handouts, unconfirmed, acceptSound, now }: NewUpload,
): UploadJob {
  const id = uuidv7(now)
  return {
    id,
    uploadId: id,
    ownerUserId,
    filename: name,
    size,
    fields,
    ...(replace && { replace }),
    ...(seen && { seen }),
    ...(captions && { captions }),
    ...(handouts?.length && { handouts: handouts.map((each) => each.name) }),
    ...(unconfirmed && { unconfirmed }),
    ...(acceptSound && { acceptSound }),
    state: 'copying',
    paused: unconfirmed === true,
    phase: 'new',
    copied: 0,
    acknowledged: 0,
    rate: 0,
    attempts: 0,
    nextAttemptAt: 0,
    movedAt: now,
    timeoutTold: false,
    createdAt: now,
  }
}
