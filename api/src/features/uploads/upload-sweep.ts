import { z } from 'zod'
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
      if (isUuid(id) && (await findUpload(sql, id))?.state !== 'open') await storage.partial.remove(id)
    })
  }
}

/** A file of an upload, and what is known of it. */
export interface UnfinishedUpload {
  id: string
  bytes: number
  writtenAt: Date
  /** What its sender calls it and how much it is to be; undefined where no open upload owns it. */
  owner: { filename: string; declaredBytes: number } | undefined
}

/** Every file in the uploads folder. */
export async function unfinishedUploads({ sql, storage }: Context): Promise<UnfinishedUpload[]> {
  const open = new Map((await openUploads(sql)).map((row) => [row.id, row]))
  const found: UnfinishedUpload[] = []
  for (const id of await storage.partial.list()) {
    const writtenAt = await storage.partial.writtenAt(id)
    if (!writtenAt) continue
    const row = open.get(id)
    const owner = row && { filename: row.filename, declaredBytes: row.declaredBytes }
    found.push({ id, bytes: await storage.partial.size(id), writtenAt, owner })
  }
  return found
}

/** Removes a file that no open upload owns, asked again under its lock. False where one does. */
export async function removeOrphan({ sql, storage }: Context, id: string): Promise<boolean> {
  return alone(id, async () => {
    // A name that is no id was given by nobody here.
    if (isUuid(id) && (await findUpload(sql, id))?.state === 'open') return false
    await storage.partial.remove(id)
    return true
  })
}

const isUuid = (name: string) => z.uuid().safeParse(name).success

const dayMs = 24 * 60 * 60_000
