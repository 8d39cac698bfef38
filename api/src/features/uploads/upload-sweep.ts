import { Problem } from '@fellowship/schema/problem'
import { unfinalizedUploadDays, idleUploadDays } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../../context.ts'
import { alone, finalizeByItself } from './upload-finalize.ts'
import { deleteUpload, findUpload, forgetEndedUploads, openUploads } from './upload-rows.sql.ts'

/**
 * Gives up uploads that nobody goes on with, finalizes those that a crash kept from it, and removes files whose
 * upload is over. Each under its lock, and asked again there.
 */
export async function sweepUploads(context: Context): Promise<void> {
  const { sql, storage, clock, log } = context
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs)
  for (const { id } of await openUploads(sql)) {
    await finalizeByItself(context, id).catch((error: unknown) => {
      if (!(error instanceof Problem))
        log.error({ err: error, id }, 'an arrived upload could not be finalized')
    })
    await alone(id, async () => {
      const row = await findUpload(sql, id)
      if (row?.state !== 'open') return
      const isWhole = (await storage.partial.size(id)) >= row.declaredBytes
      if (row.touchedAt > daysAgo(isWhole ? unfinalizedUploadDays : idleUploadDays)) return
      await storage.partial.remove(id)
      await deleteUpload(sql, id)
      log.info({ id, isWhole }, 'an upload that nobody went on with was given up')
    })
  }
  await forgetEndedUploads(sql, daysAgo(unfinalizedUploadDays))
  for (const id of await storage.partial.list()) {
    await alone(id, async () => {
      if ((await findUpload(sql, id))?.state !== 'open') await storage.partial.remove(id)
    })
  }
}

const dayMs = 24 * 60 * 60_000
