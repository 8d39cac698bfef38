import { setChurch } from '@fellowship/schema/church'
import { Problem } from '@fellowship/schema/problem'
import {
  type Site,
  type SiteChanges,
  siteFields,
  type SiteFields,
  type SitePicture,
  sitePictures,
} from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import type { Context } from '../../context.ts'
import { type AuditActor, writeAudit } from '../../db/audit-log.ts'
import type { Sql } from '../../db/connection.ts'
import { logLoss } from '../../db/log-loss.ts'
import { changeRows } from '../../db/synced-rows.ts'
import { onceMade } from '../../machine/caches.ts'
import { readDefaults } from '../../machine/defaults-file.ts'
import { pageLinks } from '../written-pages/written-pages.ts'
import {
  type PictureStore,
  removeUnusedPicture,
  saveLogo,
  savePicture,
  type UploadedPicture,
} from '../pictures/pictures.ts'
import { findSite, updateSite } from './site.sql.ts'

export { lookVersion } from './site-images.ts'

/** The values of fields that no administrator has changed, from the file beside the migrations. */
export const siteDefaults = onceMade((): SiteFields => {
  return siteFields.parse(readDefaults('site.defaults.json'))
})

/** The parts of the product that a change of the site needs. */
export type SiteStore = PictureStore & Pick<Context, 'config' | 'changes' | 'clock'>
type SiteContext = Pick<Context, 'config'> & { readonly sql: Sql }

/** The site as its row has it, in one transaction with other rows. */
export async function readSite({ sql, config }: SiteContext): Promise<Site> {
  const { changed, rev } = await findSite(sql)
  const contactEmail = changed.contactEmail ?? config.contactEmail ?? siteDefaults().contactEmail
  return { ...siteDefaults(), ...changed, contactEmail, rev, links: [...(await pageLinks(sql))] }
}

/** The revision that was last passed on, by database: an older answer that arrives later is not. */
const newest = new WeakMap<Sql, number>()

/** Reads the site, and passes it on to everything in this process that shows it. */
export async function refreshSite(context: Pick<Context, 'sql' | 'config'>): Promise<Site> {
  const site = await readSite(context)
  if (site.rev >= (newest.get(context.sql) ?? site.rev)) {
    newest.set(context.sql, site.rev)
    setChurch(site)
  }
  return site
}

/** Passes on the site now, and after each change that this or another process makes. */
export async function followSite(
  context: Pick<Context, 'sql' | 'config' | 'changes' | 'log' | 'lifecycle'>,
): Promise<void> {
  const refresh = () =>
    refreshSite(context).catch((error: unknown) => logLoss(context, error, 'the site could not be read'))
  context.changes.listen(() => void refresh())
  await refresh()
}

/**
 * Changes only the given fields.
 *
 * @param baseRev the revision that the author saw
 * @throws Problem `revision_conflict` with the present site if there is a later one
 */
export async function changeSite(
  context: SiteStore,
  { baseRev, ...changes }: SiteChanges & { baseRev?: number | undefined },
  actor: AuditActor,
): Promise<Site> {
  if (Object.keys(changes).length === 0) return readSite(context)
  const before = await writeSite(context, changes, actor, (current) => {
    if (baseRev !== undefined && baseRev < current.rev)
      throw new Problem('revision_conflict', siteTexts.changed, { current })
  })
  return afterChange(context, before)
}

/**
 * Replaces the logo or one of the pictures.
 *
 * @throws Problem `unsupported_media`, `invalid_input`, `too_large`; JobStopped when the caller disconnects
 */
export async function changeSitePicture(
  context: SiteStore,
  field: SitePicture | 'logo',
  picture: UploadedPicture,
  actor: AuditActor,
): Promise<Site> {
  const before =
    field === 'logo'
      ? await saveLogo(context, picture, (logo) => writeSite(context, { logo }, actor))
      : await savePicture(context, picture, field === 'share' ? 'share' : 'site', (url) =>
          writeSite(context, { [field]: url }, actor),
        )
  return afterChange(context, before)
}

/** Removes pictures that the site has no more, and passes it on. */
async function afterChange(context: SiteStore, before: Site): Promise<Site> {
  const site = await refreshSite(context)
  for (const field of ['logo', ...sitePictures] as const)
    if (site[field] !== before[field]) await removeUnusedPicture(context, before[field])
  return site
}

/**
 * @param check throws to refuse the change
 * @returns the site before it
 */
const writeSite = (
  context: SiteStore,
  changes: Partial<SiteFields>,
  actor: AuditActor,
  check: (current: Site) => void = () => undefined,
): Promise<Site> =>
  changeRows(context, async (tx) => {
    const current = await readSite({ sql: tx, config: context.config })
    check(current)
    await updateSite(tx, changes)
    const entry = {
      actor,
      action: 'site.updated',
      subject: changes.name ?? current.name,
      details: { fields: Object.keys(changes) },
    }
    await writeAudit(tx, entry, context.clock.now())
    return current
  })
