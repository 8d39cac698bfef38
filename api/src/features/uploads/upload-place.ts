import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { isWorkshopServed } from '../../cluster/membership.ts'
import { claimUpload, findUpload, moveUpload, noteWanted, type UploadRow } from './upload-rows.sql.ts'

/** The key of the lock that serializes the work on one upload: requests of its client, finalizing, sweeping. */
export const uploadKey = (id: string): string => `upload ${id}`

/** Runs the work while holding the lock of an upload. */
export const withUploadLock = <T>(
  { locks }: Pick<Context, 'locks'>,
  id: string,
  work: () => Promise<T>,
): Promise<T> => locks.run(uploadKey(id), work)

type Placed = Pick<UploadRow, 'workshop'>

/** Whether the bytes of an upload are in the data folder of this process, or nowhere yet. */
export const isHere = ({ storage }: Pick<Context, 'storage'>, { workshop }: Placed): boolean =>
  workshop === null || workshop === storage.id

/** @throws Problem `upload_busy` where another process has the bytes */
export function assertHere(context: Pick<Context, 'storage'>, row: Placed): void {
  if (!isHere(context, row)) throw new Problem('upload_busy', elsewhere, { retryAfter: retrySeconds })
}

/**
 * Several processes have a data folder each, and an upload is in one of them. Where that process runs, its client should
 * reach it with the next try. Where it does not, or the client reaches none but others for a minute, the upload begins
 * anew here, with its first byte: the client has the file.
 *
 * @param options.atOnce for a client that cancels it
 * @throws Problem `upload_busy`
 */
export async function bringHere(
  context: Context,
  row: UploadRow,
  { atOnce = false }: { atOnce?: boolean } = {},
): Promise<void> {
  const { sql, storage, log } = context
  if (row.state !== 'open' || isHere(context, row)) return
  const maySoon = !atOnce && (await isWorkshopServed(context, row.workshop!))
  if (maySoon && (await noteWanted(sql, row.id)) < patienceSeconds) assertHere(context, row)
  await withUploadLock(context, row.id, async () => {
    const current = await findUpload(sql, row.id)
    if (current?.state !== 'open' || current.workshop !== row.workshop) return
    // Of an earlier time when it was here.
    await storage.partial.remove(row.id)
    await moveUpload(sql, row.id, storage.id)
    log.warn({ id: row.id }, 'an upload of another process begins anew here')
  })
}

/**
 * Notes that bytes come here. Call it under the lock, before they are written.
 *
 * @throws Problem `upload_offset` where another process has those before
 */
export async function claim({ sql, storage }: Context, id: string): Promise<void> {
  if (!(await claimUpload(sql, id, storage.id))) throw wrongOffset()
}

/** The offset here is another one than that which the client was told elsewhere. */
export const wrongOffset = (): Problem =>
  new Problem('upload_offset', elsewhere, { retryAfter: retrySeconds })

const elsewhere = 'Another process of the server has this upload. Ask for its offset and resume.'
const retrySeconds = 5
const patienceSeconds = 60
