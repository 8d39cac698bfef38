import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import type { Actor } from '../../db/audit-log.ts'
import { removeUnusedPicture, savePicture, type UploadedPicture } from '../pictures/pictures.ts'
import { changeElders, noteChange } from './elder-change.ts'
import { findElder, updateElder } from './elders.sql.ts'

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
    changeElders(context, async (tx) => {
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
