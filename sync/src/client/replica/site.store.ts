import { church, setChurch } from '@fellowship/schema/church'
import type { Site } from '@fellowship/schema/site/site.contract'
import type { AppDatabase } from '../database/app-database.ts'

const key = 'site'

/** The identity of the site as last pulled; undefined before the first snapshot. Fit for a live query. */
export async function readSite(db: AppDatabase): Promise<Site | undefined> {
  return (await db.meta.get(key))?.value as Site | undefined
}

/** Call inside the transaction that writes the page with it. */
export async function writeSite(db: AppDatabase, site: Site): Promise<void> {
  await db.meta.put({ key, value: site })
}

/** Passes on a stored site, unless a newer one is known. */
export function passOnSite(site: Site | undefined): void {
  if (site && site.rev > church().rev) setChurch(site)
}
