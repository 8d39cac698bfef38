import { Problem } from '@fellowship/schema/problem'
import { seriesUid, type Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { removeUnusedPicture, savePicture, type UploadedPicture } from '../pictures/pictures.ts'
import { lockForWriting } from '../teachings/teachings.ts'
import { liveSeries, updatePicture } from './series.sql.ts'

/**
 * Replaces the picture of a series. The old files are deleted after the new ones are committed: a crash in between leaves
 * files for the sweep, never a dead link.
 *
 * @param uid as it came in the address
 * @throws Problem `not_found`, `unsupported_media`, `invalid_input`
 */
export async function changePicture(
  context: Context,
  uid: string,
  picture: UploadedPicture,
  actor: Actor,
): Promise<Series> {
  // Nothing is converted for a series that there is not.
  const known = seriesUid.safeParse(uid)
  const [present] = known.success ? await liveSeries(context.sql, [known.data]) : []
  if (!present) throw new Problem('not_found', seriesTexts.gone)
  return savePicture(context, picture, 'series', (imageUrl) =>
    replace(context, present.uid, imageUrl, { actor, action: 'series.picture_changed' }),
  )
}

/**
 * Removes the picture of a series; nothing changes where it has none.
 *
 * @throws Problem `not_found`
 */
export const removePicture = (context: Context, uid: string, actor: Actor): Promise<Series> =>
  replace(context, uid, null, { actor, action: 'series.picture_removed' })

async function replace(
  context: Context,
  uid: string,
  imageUrl: string | null,
  note: { actor: Actor; action: string },
): Promise<Series> {
  const { sql, changes, clock } = context
  const { before, after } = (await sql.begin(async (tx) => {
    await lockForWriting(tx)
    const present = await presentIn(tx, uid)
    const changed = (await updatePicture(tx, uid, imageUrl))!
    if (changed.rev !== present.rev)
      await writeAudit(tx, { ...note, subject: changed.title, details: { uid } }, clock.now())
    return { before: present, after: changed }
  })) as { before: Series; after: Series }
  changes.announce()
  if (after.imageUrl !== before.imageUrl) await removeUnusedPicture(context, before.imageUrl)
  return after
}

async function presentIn(tx: Transaction, uid: string): Promise<Series> {
  const [present] = await liveSeries(tx, [uid])
  if (!present) throw new Problem('not_found', seriesTexts.gone)
  return present
}
