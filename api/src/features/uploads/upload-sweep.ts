import { z } from 'zod'
import { Problem } from '@fellowship/schema/problem'
import { unfinalizedUploadDays, idleUploadDays } from '@fellowship/schema/uploads/uploads.limits'
import { withUploadLock } from '../../cluster/cluster.ts'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { finalizeIfComplete } from './upload-finalize.ts'
import { deleteUpload, findUpload, deleteEndedUploads, openUploads, type UploadRow } from './uploads.sql.ts'

/**
 * Finalizes whole uploads that a crash left open, deletes abandoned ones, and removes files without an open upload. Each is
 * checked again under its lock. Uploads of another running process are skipped.
 */
export async function sweepUploads(context: Context): Promise<void> {
  const { sql, storage, log } = context
  for (const { id } of await openUploads(sql)) {
    await finalizeIfComplete(context, id).catch((error: unknown) => {
      if (!(error instanceof Problem))
        log.error({ err: error, id }, 'an arrived upload could not be finalized')
    })
  }
  await removeAbandoned(context)
  await deleteEndedUploads(sql, unfinalizedUploadDays)
  for (const id of await storage.partial.list()) {
    await withUploadLock(context, id, async () => {
      if (isUuid(id) && !(await isOpenHere(context, id))) await storage.partial.remove(id)
    })
  }
}

async function isOpenHere(context: Context, id: string): Promise<boolean> {
  const row = await findUpload(context.sql, id)
  return row?.state === 'open' && context.node.owns(row)
}

async function removeAbandoned(context: Context): Promise<void> {
  const { sql, storage, log } = context
  const isAbandoned = async (row: UploadRow) => {
    const { id, declaredBytes, idleDays, receivedBytes } = row
    if (await context.node.isOwnedElsewhere(row)) return false
    const bytes = context.node.owns(row) ? await storage.partial.size(id) : receivedBytes
    const isWhole = bytes >= declaredBytes
    return idleDays > (isWhole ? unfinalizedUploadDays : idleUploadDays)
  }
  const open = await openUploads(sql)
  const due: string[] = []
  for (const row of open) if (await isAbandoned(row)) due.push(row.id)
  if (!(await maySweep(sql, { name: 'uploads', due: due.length, total: open.length }))) return
  for (const id of due) {
    await withUploadLock(context, id, async () => {
      const row = await findUpload(sql, id)
      if (row?.state !== 'open' || !(await isAbandoned(row))) return
      await storage.partial.remove(id)
      await deleteUpload(sql, id)
      log.info({ id }, 'an abandoned upload was deleted')
    })
  }
}

/** A partial file and its upload. */
export interface UnfinishedUpload {
  id: string
  bytes: number
  writtenAt: Date
  /** Its open upload; undefined for an orphan. */
  owner: { filename: string; declaredBytes: number } | undefined
}

/** All files of the uploads folder. */
export async function unfinishedUploads(context: Context): Promise<UnfinishedUpload[]> {
  const { sql, storage } = context
  const here = (await openUploads(sql)).filter((row) => context.node.owns(row))
  const open = new Map(here.map((row) => [row.id, row]))
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

/** Removes a file unless an open upload owns it, checked under its lock. False if one does. */
export async function removeOrphan(context: Context, id: string): Promise<boolean> {
  const { storage } = context
  return withUploadLock(context, id, async () => {
    // A name that is not a UUID cannot belong to an upload.
    if (isUuid(id) && (await isOpenHere(context, id))) return false
    await storage.partial.remove(id)
    return true
  })
}

const isUuid = (name: string) => z.uuid().safeParse(name).success
