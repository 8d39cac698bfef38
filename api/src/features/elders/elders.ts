import { shiftOrders } from '@fellowship/schema/elders/display-order'
import { elderLimits } from '@fellowship/schema/elders/elders.limits'
import type { Elder, ElderChanges, NewElder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import { syncedWordBytes } from '@fellowship/schema/sync/sync.limits'
import type { Context } from '../../context.ts'
import { type Actor, writeAudit } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { assertTarget, changeRows, textBytes } from '../../db/synced-rows.ts'
import { removeUnusedPicture, savePicture, type UploadedPicture, withPicture } from '../pictures/pictures.ts'
import { allElders, deleteElder, findElder, insertElder, updateElder, writeOrders } from './elders.sql.ts'

export { allElders } from './elders.sql.ts'

/** All elders in the order they are shown. */
export const listElders = ({ sql }: Pick<Context, 'sql'>): Promise<Elder[]> => allElders(sql)

/**
 * Adds an elder at a display order; the elders from there on move down.
 *
 * @throws Problem `invalid_input` if the last of them would exceed the highest display order
 */
export async function createElder(context: Context, fields: NewElder, actor: Actor): Promise<Elder> {
  return withPicture(context, fields.imageUrl, () =>
    changeRows(context, async (tx) => {
      await moveOthers(tx, await allElders(tx), { to: fields.displayOrder })
      const created = await insertElder(tx, fields)
      await assertRoom(tx)
      await noteChange(tx, context, actor, 'elder.created', created)
      return created
    }),
  )
}

/**
 * Changes only the given fields.
 *
 * @param baseRev the revision that the author saw
 * @throws Problem `not_found`, `revision_conflict` (with `current`) if there is a later one, or `invalid_input` if another
 *   elder would exceed the highest display order
 */
export async function changeElder(
  context: Context,
  id: number,
  { baseRev, ...changes }: ElderChanges & { baseRev?: number | undefined },
  actor: Actor,
): Promise<Elder> {
  const { before, after } = await withPicture(context, changes.imageUrl, () =>
    changeRows(context, async (tx) => {
      const all = await allElders(tx)
      const before = assertTarget(
        all.find((other) => other.id === id),
        { baseRev },
        elderTexts,
      )
      const to = changes.displayOrder ?? before.displayOrder
      const others = all.filter((other) => other.id !== id)
      await moveOthers(tx, others, { from: before.displayOrder, to })
      const after = await updateElder(tx, id, changes)
      const isLonger = wordsOf(after).length > wordsOf(before).length
      if (isLonger) await assertRoom(tx)
      if (after.rev !== before.rev) await noteChange(tx, context, actor, 'elder.updated', after, changes)
      return { before, after }
    }),
  )
  if (after.imageUrl !== before.imageUrl) await removeUnusedPicture(context, before.imageUrl)
  return after
}

/**
 * Deletes an elder and their photo; the elders behind move up.
 *
 * @throws Problem `not_found`
 */
export async function removeElder(context: Context, id: number, actor: Actor): Promise<void> {
  const removed = await changeRows(context, async (tx) => {
    const all = await allElders(tx)
    const gone = presentIn(all, id)
    await deleteElder(tx, id)
    const others = all.filter((other) => other.id !== id)
    await moveOthers(tx, others, { from: gone.displayOrder })
    await noteChange(tx, context, actor, 'elder.deleted', gone)
    return gone
  })
  await removeUnusedPicture(context, removed.imageUrl)
}

/** Writes the new display orders of the others. */
async function moveOthers(
  tx: Transaction,
  others: readonly Elder[],
  move: Parameters<typeof shiftOrders>[1],
): Promise<void> {
  const moved = shiftOrders(others, move)
  if (moved.some(({ displayOrder }) => displayOrder > elderLimits.displayOrder))
    throw new Problem('invalid_input', elderTexts.noOrderBehind)
  await writeOrders(tx, moved)
}

const wordColumns = ['name', 'role', 'shortBio', 'extendedBio'] as const
const wordsOf = (elder: Elder) => wordColumns.map((name) => elder[name]).join('')

/** After a change of the words. */
async function assertRoom(tx: Transaction): Promise<void> {
  if ((await textBytes(tx, 'elders', wordColumns)) > syncedWordBytes.elders)
    throw new Problem('invalid_input', elderTexts.allFull)
}

/**
 * The elder of this id among all of them.
 *
 * @throws Problem `not_found`
 */
function presentIn(all: readonly Elder[], id: number): Elder {
  const elder = all.find((other) => other.id === id)
  if (!elder) throw new Problem('not_found', elderTexts.gone)
  return elder
}

/** Writes a line of the audit log, with the names of the fields that an edit gave. */
const noteChange = (
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

/**
 * Replaces an elder's photo. The old file is deleted after the new one is committed: a crash in between leaves a file for
 * the sweep, never a dead link.
 *
 * @throws Problem `not_found`, `unsupported_media`, `invalid_input`
 */
export async function changePhoto(
  context: Context,
  id: number,
  photo: UploadedPicture,
  actor: Actor,
): Promise<Elder> {
  if (!(await findElder(context.sql, id))) throw new Problem('not_found', elderTexts.gone)
  const { before, after } = await savePicture(context, photo, 'photo', (imageUrl) =>
    changeRows(context, async (tx) => {
      const present = await findElder(tx, id)
      if (!present) throw new Problem('not_found', elderTexts.gone)
      const changed = await updateElder(tx, id, { imageUrl })
      await noteChange(tx, context, actor, 'elder.photo_uploaded', changed)
      return { before: present, after: changed }
    }),
  )
  if (after.imageUrl !== before.imageUrl) await removeUnusedPicture(context, before.imageUrl)
  return after
}
