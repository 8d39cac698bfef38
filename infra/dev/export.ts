/**
 * `npm run export -- FOLDER`: writes the whole library into a new folder, which `npm run import -- FOLDER` reads back: a
 * table, the feed, recordings under readable names, handouts, pictures of series. Also while the product runs.
 */
import path from 'node:path'
import { databaseLocks } from '@fellowship/api/db/locks'
import { settlementNotes } from '@fellowship/api/cluster/cluster'
import { exportLibrary, FolderNotEmpty } from '@fellowship/api/features/imports/export-library'
import { refreshSite } from '@fellowship/api/features/site/site'
import { configuredStorage } from '@fellowship/api/machine/storage/configured-storage'
import { fail, openProduct } from './open-product.ts'

const [folder, ...others] = process.argv.slice(2)
if (!folder || others.length > 0) fail('Say where to: npm run export -- /mnt/disk/our-library')
const { config, database } = await openProduct('export', { mayJoin: true })
const { sql, place } = database
await refreshSite({ sql, config })
const locks = await databaseLocks(place, sql)
const storage = configuredStorage(config, locks.owner, settlementNotes(sql, locks.owner))
const origin = config.publicUrl ?? `http://localhost:${config.http.port}`
const report = await exportLibrary({ sql, storage }, path.resolve(folder), origin).catch((error: unknown) => {
  if (error instanceof FolderNotEmpty) fail(`${folder} has files already. Name a new folder.`)
  throw error
})
await locks.close()
await database.close()
for (const address of report.missing) console.error(`The file of ${address} is missing.`)
console.log(`${report.teachings} teachings were written to ${folder}.`)
process.exit(report.missing.length > 0 ? 1 : 0)
