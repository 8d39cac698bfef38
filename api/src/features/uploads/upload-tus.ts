import { z } from 'zod'
import { Problem } from '@fellowship/schema/problem'
import { maxUploadBytes, reservedDiskBytes, uploadsBegun } from '@fellowship/schema/uploads/uploads.limits'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { uploadKey } from '../../cluster/cluster.ts'
import type { Context } from '../../context.ts'
import { asProblem } from '../../http/on-error.ts'
import { memoryLimiter } from '../../http/limiter.ts'
import { serveProtocol, type App, type Http } from '../../http/serve.ts'
import { tusServer, type Announced } from '../../machine/tus.ts'
import { beginUpload, uploadIdOf } from './upload-begin.ts'
import {
  assertOwned,
  cancelUpload,
  elsewhere,
  finalizeIfComplete,
  takeOverUpload,
  uploadOfUser,
} from './upload-finalize.ts'
import { findUpload, touchUpload } from './upload-rows.sql.ts'

const path = '/api/uploads'

/**
 * tus 1.0.0 at /api/uploads, without GET: a file cannot be read before it is a teaching. Upload-Metadata:
 * `filename`; `jobId`, the sender's own id for the upload and the uid of the teaching to come; `sha256`; `owner`, the
 * user id it was meant for; and, from clients that will not call finalize, `title`, `speaker`, `date` and `scriptureReference`.
 */
export function mountTus(app: App, context: Context): void {
  const { sql, storage, clock, locks, node } = context
  const tus = tusServer({
    path,
    maxBytes: maxUploadBytes,
    files: {
      ...storage.partial,
      async append(id, source) {
        // The offset that the client was told elsewhere is not the one here.
        if (!(await node.claimUpload(id))) throw elsewhere('upload_offset')
        return storage.partial.append(id, source)
      },
    },
    lock: { take: (id, ...rest) => locks.take(uploadKey(id), ...rest) },
    nameOf: (metadata) => uploadIdOf(context, metadata),
    async find(id) {
      const row = await findUpload(sql, id)
      // It may have gone to another process while this request waited for the lock.
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
      // A client that resumes elsewhere asks for the offset first.
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
   * A client that does not call finalize expects a teaching after the last byte. Where a crash or a lost answer
   * prevented that, its next HEAD finalizes the upload.
   */
  async function finalizeBeforeHead(id: string): Promise<void> {
    try {
      await finalizeIfComplete(context, id)
    } catch (error) {
      // A refusal is in the state of the upload, which HEAD answers.
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
