import { z } from 'zod'
import { Problem } from '@fellowship/schema/problem'
import {
  maxUploadBytes,
  reservedDiskBytes,
  uploadsBegun,
  maxFileNameLength,
  maxOpenUploads,
} from '@fellowship/schema/uploads/uploads.limits'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { someFields } from '@fellowship/schema/uploads/uploads.schema'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { duplicateOf, findTeachingByUid } from '../teachings/teachings.ts'
import { uploadKey } from '../../cluster/cluster.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/connection.ts'
import { asProblem } from '../../http/on-error.ts'
import { memoryLimiter, type MemoryLimiter } from '../../http/limiter.ts'
import { serveProtocol, type App, type Http } from '../../http/serve.ts'
import { tusServer, type Announced } from '../../machine/tus.ts'
import {
  assertOwned,
  cancelUpload,
  elsewhere,
  finalizeIfComplete,
  takeOverUpload,
  uploadOfUser,
} from './upload-finalize.ts'
import {
  findUpload,
  touchUpload,
  endUpload,
  isUidTaken,
  lockUploadsOf,
  upsertUpload,
  type Arriving,
  type NewUploadRow,
  type UploadRow,
} from './uploads.sql.ts'
import { checkFields, isComplete, mergeFields, metadataFields } from './upload-fields.ts'

const path = '/api/uploads'

/**
 * tus 1.0.0 at /api/uploads, without GET: a file cannot be read before it is a teaching. Upload-Metadata: `filename`;
 * `jobId`, the client's own id of the upload and the uid of the future teaching; `sha256`; `owner`, the id of the intended
 * user; and, from clients that do not call finalize, `title`, `speaker`, `date` and `scriptureReference`.
 */
export function mountTus(app: App, context: Context): void {
  const { sql, storage, clock, locks, node } = context
  const tus = tusServer({
    path,
    maxBytes: maxUploadBytes,
    files: {
      ...storage.partial,
      async append(id, source) {
        // The client learned its offset from another process, which has other bytes.
        if (!(await node.claimUpload(id))) throw elsewhere('upload_offset')
        return storage.partial.append(id, source)
      },
    },
    lock: { take: (id, ...rest) => locks.take(uploadKey(id), ...rest) },
    nameOf: (metadata) => uploadIdOf(context, metadata),
    async find(id) {
      const row = await findUpload(sql, id)
      // Another process may have taken the upload over while this request waited for the lock.
      if (row?.state === 'open') assertOwned(context, row)
      return row && { ...row, bytes: row.declaredBytes, state: states[row.state] }
    },
    cancel: (id) => cancelUpload(context, id),
    onArrived: (id) => finalizeIfComplete(context, id),
    asProblem: (error) => asProblem(error, context),
  })
  const begun = memoryLimiter(clock, uploadsBegun, () => uploadTexts.tooManyBegun)
  const begin = (userId: number) => (announced: Announced) => beginUpload(context, userId, announced, begun)
  const refuseCreation = () => Promise.reject(new Problem('method_not_allowed'))

  app.on('OPTIONS', [path, `${path}/:id`], (http) => tus.handle(http.req.raw, refuseCreation))

  serveProtocol(app, context, { methods: ['POST'], path }, ({ http, actor }) =>
    tus.handle(http.req.raw, begin(actor.id)),
  )

  serveProtocol(
    app,
    context,
    { methods: ['HEAD', 'PATCH', 'DELETE'], path: `${path}/:id` },
    async ({ http, actor }) => {
      const row = await uploadOfUser(context, actor.id, idOf(http))
      const { id } = row
      // If a client resumes at another process, it must ask for the offset first.
      if (http.req.method === 'PATCH' && row.state === 'open' && !node.owns(row))
        throw elsewhere('upload_offset')
      if (http.req.method !== 'PATCH')
        await takeOverUpload(context, row, { atOnce: http.req.method === 'DELETE' })
      if (http.req.method === 'HEAD') await finalizeBeforeHead(id)
      if (http.req.method === 'PATCH' && (await storage.freeBytes()) < reservedDiskBytes)
        throw new Problem('disk_full')
      const answer = await tus.handle(http.req.raw, refuseCreation)
      if (http.req.method === 'PATCH')
        await touchUpload(sql, id, { nodeId: node.id, bytes: await storage.partial.size(id) })
      return answer
    },
  )

  /**
   * A client that does not call finalize expects a teaching after the last byte. If a crash or a lost answer prevented
   * that, its next HEAD finalizes the upload.
   */
  async function finalizeBeforeHead(id: string): Promise<void> {
    try {
      await finalizeIfComplete(context, id)
    } catch (error) {
      // After a refusal, HEAD answers with the state of the upload.
      if (!(error instanceof Problem) || error.status >= 500) throw error
    }
  }
}

const states = { open: 'open', finalized: 'done', refused: 'gone', cancelled: 'gone' } as const

function idOf(http: Http): string {
  const id = http.req.param('id') ?? ''
  if (!z.uuid().safeParse(id).success) throw new Problem('not_found', 'There is no such upload.')
  return id.toLowerCase()
}

/**
 * The id of a new upload: `jobId` of Upload-Metadata (a UUIDv7), by which the client finds the upload again if the answer
 * is lost, or a generated id.
 *
 * @throws Problem `invalid_input`
 */
function uploadIdOf({ clock }: Context, { jobId }: Record<string, string | null>): string {
  if (jobId === undefined || jobId === null) return uuidv7(clock.now().getTime())
  if (!z.uuidv7().safeParse(jobId).success) {
    throw new Problem('invalid_input', 'jobId must be a UUID of version 7, made anew for every file.')
  }
  return jobId.toLowerCase()
}

/**
 * Records an upload before its first byte.
 *
 * @throws Problem `unauthorized` (queued by another account), `invalid_input`, `too_large`, `upload_exists` (resume it
 * with HEAD), `upload_gone` (cancelled), `duplicate`, `too_many_uploads`, `disk_full`
 */
async function beginUpload(
  context: Context,
  userId: number,
  { id, bytes, metadata: given }: Announced,
  begun: MemoryLimiter,
): Promise<void> {
  const { sql, node, storage } = context
  const metadata = knownMetadata(given)
  // Another account queued the upload on this device than the one that is signed in now.
  if (metadata['owner'] && metadata['owner'] !== String(userId)) throw new Problem('unauthorized')
  if (!Number.isSafeInteger(bytes) || bytes < 1) throw new Problem('invalid_input', uploadQueueTexts.empty)
  if (bytes > maxUploadBytes) throw new Problem('too_large')
  const filename = nameOf(metadata)
  const declaredSha256 = sha256Of(metadata)
  const fields = metadataFields(metadata)
  // Reports invalid fields before the first byte.
  if (isComplete(fields)) checkFields(mergeFields(context, filename, { entered: fields }))
  // An upload that was created may always be resumed; only new uploads need free space.
  if (!(await findUpload(sql, id))) {
    begun.take(String(userId))
    if (bytes * 2 > (await storage.freeBytes())) throw new Problem('disk_full')
  }
  const isPublished = await sql.begin(async (tx) => {
    const open = await lockUploadsOf(tx, userId)
    const arriving = await countArriving({ node, storage }, open)
    const before = await findUpload(tx, id)
    if (before) assertMayRestart(before, userId)
    const row = { id, userId, filename, declaredBytes: bytes, declaredSha256, metadata }
    if (await isUidTaken(tx, id)) return recordPublished(tx, row)
    if (arriving >= maxOpenUploads) throw new Problem('too_many_uploads', undefined, { retryAfter: 60 })
    await upsertUpload(tx, row)
    return false
  })
  if (isPublished) throw new Problem('upload_exists')
}

/**
 * Handles an id that is already the uid of a teaching, although there is no such upload: uploads are not in backups, so
 * this follows a restore. If the teaching has the announced recording, the upload is recorded as finalized, and HEAD and
 * finalize answer as they did.
 *
 * @throws Problem `duplicate` if the teaching has another recording by now, or is in the bin
 */
async function recordPublished(tx: Transaction, row: NewUploadRow): Promise<true> {
  const teaching = await findTeachingByUid(tx, row.id)
  const isSameRecording =
    row.declaredSha256 !== null && teaching?.audioUrl?.startsWith(`/audio/${row.declaredSha256}.`)
  if (!teaching || !isSameRecording) {
    throw teaching
      ? duplicateOf({ teaching, sameRecording: false })
      : new Problem('duplicate', 'This recording was deleted.')
  }
  await upsertUpload(tx, row)
  await endUpload(tx, row.id, { state: 'finalized', answer: teaching })
  return true
}

/** Counts uploads that are still arriving. Whole uploads wait for finalize, and must not block new ones. */
async function countArriving(
  { node, storage }: Pick<Context, 'node' | 'storage'>,
  open: readonly Arriving[],
): Promise<number> {
  const sizes = await Promise.all(
    open.map(async (row) => (node.owns(row) ? await storage.partial.size(row.id) : row.receivedBytes)),
  )
  return open.filter(({ declaredBytes }, at) => sizes[at]! < declaredBytes).length
}

/** Only a refused upload may be sent again under its id, perhaps with other fields. */
function assertMayRestart({ userId, state }: UploadRow, callerId: number): void {
  if (state === 'refused' && userId === callerId) return
  throw new Problem(state === 'cancelled' && userId === callerId ? 'upload_gone' : 'upload_exists')
}

const metadataNames = ['filename', 'name', 'filetype', 'type', 'jobId', 'sha256', 'owner']

/**
 * The part of Upload-Metadata that is stored: the known names.
 *
 * @throws Problem `invalid_input` for control characters, as PostgreSQL cannot store all of them
 */
function knownMetadata(given: Record<string, string | null>): Record<string, string | null> {
  const known = Object.entries(given).filter(
    ([name]) => metadataNames.includes(name) || name in someFields.shape,
  )
  for (const [name, value] of known) {
    // A damaged file name may have those of Latin-1, and is read for its meaning like any other.
    const refused = ['filename', 'name'].includes(name) ? /(?![\u0080-\u009f])\p{Cc}/u : /\p{Cc}/u
    if (value !== null && refused.test(value.replaceAll(/[\t\r\n]/g, ''))) {
      throw new Problem('invalid_input', `${name} in Upload-Metadata must not hold control characters.`)
    }
  }
  return Object.fromEntries(known)
}

function nameOf({ filename, name }: Record<string, string | null>): string {
  const given = filename ?? name ?? 'recording'
  if (given.length > maxFileNameLength) {
    throw new Problem('invalid_input', `The file name may have at most ${maxFileNameLength} characters.`)
  }
  return given === '' ? 'recording' : given
}

function sha256Of({ sha256 }: Record<string, string | null>): string | null {
  if (sha256 === undefined || sha256 === null) return null
  if (!/^[0-9a-f]{64}$/i.test(sha256)) {
    throw new Problem('invalid_input', 'sha256 must be the hash of the file in 64 hexadecimal digits.')
  }
  return sha256.toLowerCase()
}
