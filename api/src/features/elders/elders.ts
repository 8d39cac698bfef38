import { shiftOrders } from '@fellowship/schema/elders/display-order'
import type { Elder, ElderChanges, NewElder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { removeUnusedPhoto, savePhoto, withPhoto, type UploadedPhoto } from './elder-photos.ts'
import {
  allElders,
  deleteElder,
  findElder,
  insertElder,
  lockElders,
  updateElder,
  writeOrders,
} from './elders.sql.ts'

export { sweepPhotos } from './elder-photos.ts'

/** All elders in the order they are shown. */
export const listElders = ({ sql }: Pick<Context, 'sql'>): Promise<Elder[]> => allElders(sql)

/** Adds an elder at a display order; the elders from there on move down. */
export async function createElder(context: Context, fields: NewElder, actor: Actor): Promise<Elder> {
  return withPhoto(context, fields.imageUrl, () =>
    inOneTransaction(context, async (tx) => {
      await writeOrders(tx, shiftOrders(await allElders(tx), { to: fields.displayOrder }))
      const created = await insertElder(tx, fields)
      await note(tx, context, actor, 'elder.created', created)
      return created
    }),
  )
}

/**
 * Changes the fields given and no other.
 *
 * @throws Problem `not_found`
 */
export async function changeElder(
  context: Context,
  id: number,
  changes: ElderChanges,
  actor: Actor,
): Promise<Elder> {
  const { before, after } = await withPhoto(context, changes.imageUrl, () =>
    inOneTransaction(context, async (tx) => {
      const all = await allElders(tx)
      const before = present(all, id)
      const to = changes.displayOrder ?? before.displayOrder
      const others = all.filter((other) => other.id !== id)
      await writeOrders(tx, shiftOrders(others, { from: before.displayOrder, to }))
      const after = await updateElder(tx, id, changes)
      if (after.rev !== before.rev) await note(tx, context, actor, 'elder.updated', after, changes)
      return { before, after }
    }),
  )
  if (after.imageUrl !== before.imageUrl) await removeUnusedPhoto(context, before.imageUrl)
  return after
}

/**
 * Deletes an elder and their photo; the elders behind move up.
 *
 * @throws Problem `not_found`
 */
export async function removeElder(context: Context, id: number, actor: Actor): Promise<void> {
  const removed = await inOneTransaction(context, async (tx) => {
    const all = await allElders(tx)
    const gone = present(all, id)
    await deleteElder(tx, id)
    const others = all.filter((other) => other.id !== id)
    await writeOrders(tx, shiftOrders(others, { from: gone.displayOrder }))
    await note(tx, context, actor, 'elder.deleted', gone)
    return gone
  })
  await removeUnusedPhoto(context, removed.imageUrl)
}

/**
 * Replaces an elder's photo. The old file is deleted after the new one is committed: a crash in between leaves a file for
 * the sweep, never a dead link.
 *
 * @param file path of the uploaded picture
 * @throws Problem `not_found`, `unsupported_media`, `invalid_input`
 */
export async function changePhoto(
  context: Context,
  id: number,
  photo: UploadedPhoto,
  actor: Actor,
): Promise<Elder> {
  if (!(await findElder(context.sql, id))) throw new Problem('not_found', elderTexts.gone)
  const { before, after } = await savePhoto(context, photo, (imageUrl) =>
    inOneTransaction(context, async (tx) => {
      const present = await findElder(tx, id)
      if (!present) throw new Problem('not_found', elderTexts.gone)
      const changed = await updateElder(tx, id, { imageUrl })
      await note(tx, context, actor, 'elder.photo_uploaded', changed)
      return { before: present, after: changed }
    }),
  )
  if (after.imageUrl !== before.imageUrl) await removeUnusedPhoto(context, before.imageUrl)
  return after
}

async function inOneTransaction<T>(
  { sql, changes }: Context,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const done = await sql.begin(async (tx) => {
    await lockElders(tx)
    return { value: await work(tx) }
  })
  changes.announce()
  return (done as { value: T }).value
}

function present(all: readonly Elder[], id: number): Elder {
  const elder = all.find((other) => other.id === id)
  if (!elder) throw new Problem('not_found', elderTexts.gone)
  return elder
}

const note = (
  tx: Transaction,
  { clock }: Context,
  actor: Actor,
  action: string,
  { id, name }: Elder,
  changes?: ElderChanges,
) =>
  writeAudit(
    tx,
    { actor, action, subject: name, details: { id, ...(changes && { fields: Object.keys(changes) }) } },
    clock.now(),
  )
