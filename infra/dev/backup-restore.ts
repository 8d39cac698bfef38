/**
 * `npm run backup:restore FILE [-- --dry-run] [-- --replace] [-- --without-secrets] [-- --without-damaged]
 * [-- --with-accounts]`: verifies a backup and restores it into DATA_DIR and the database. With the embedded database, stop the product first.
 *
 * `-- --new-database` is for a product that brings another major version of PostgreSQL than the one that made the database:
 * that one is moved aside, and back if the backup is refused.
 *
 * `npm run backup:restore s3:NAME` takes the file out of the bucket of the BACKUP_S3_* settings.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { databaseLocks } from '@fellowship/api/db/locks'
import { fetchBackup } from '@fellowship/api/features/backup/backup-places'
import { restore, RestoreRefusal, type RestoreReport } from '@fellowship/api/features/backup/restore'
import { moveBack } from '@fellowship/api/db/embedded-binaries'
import { systemClock } from '@fellowship/api/machine/clock'
import { configuredStorage } from '@fellowship/api/machine/storage/configured-storage'
import { fail, openProduct } from './open-product.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    replace: { type: 'boolean', default: false },
    'without-secrets': { type: 'boolean', default: false },
    'without-damaged': { type: 'boolean', default: false },
    'with-accounts': { type: 'boolean', default: false },
    'new-database': { type: 'boolean', default: false },
  },
})
const [file] = positionals
if (!file || positionals.length > 1)
  fail('Say which file: npm run backup:restore fellowship-backup-2026-11-21.zip')

let aside: string | undefined
let isRestored = false
// Also if the new database cannot be made, or the restore fails unexpectedly.
process.once('exit', () => {
  if (aside && !isRestored) moveBack(aside)
})
const { config, database } = await openProduct('backup-restore', {
  ...(values['new-database'] && { onMovedAside: (moved: string) => void (aside = moved) }),
})
// Shared with a running product, so that neither removes files of the other.
const locks = await databaseLocks(database.place, database.sql)
const fetched = file.startsWith('s3:') ? await mkdtemp(path.join(config.dataDir, 'restore-')) : undefined
try {
  const local = fetched === undefined ? path.resolve(file) : path.join(fetched, 'backup')
  if (fetched !== undefined)
    await fetchBackup(config, file.slice('s3:'.length), local).catch((error: Error) => {
      throw new RestoreRefusal(error.message)
    })
  const storage = configuredStorage(config, locks.owner)
  const context = { sql: database.sql, storage, clock: systemClock, config, locks }
  const report = await restore(context, local, {
    dryRun: values['dry-run'],
    replace: values.replace,
    withoutSecrets: values['without-secrets'],
    withoutDamaged: values['without-damaged'],
    withAccounts: values['with-accounts'],
  })
  isRestored = report.written
  const state = report.damaged.length === 0 ? 'whole' : 'whole but for the files that are damaged in it'
  console.log(`The backup of ${report.createdAt} (version ${report.version}) is ${state}.`)
  for (const name of report.damaged) console.log(`Damaged in the backup, and left out: ${name}`)
  if (report.scope === 'database')
    console.log('It holds the rows alone: recordings, photos and handouts stay as they are.')
  console.log(
    `${report.recordings} recordings, ${report.photos} photo files and ${report.handouts} handouts, ${(report.bytes / 1e6).toFixed(1)} MB.`,
  )
  for (const [table, rows] of Object.entries(report.rows)) console.log(`  ${table}: ${rows}`)
  for (const { email, change, isInactive } of report.accounts)
    console.log(`Account ${email}: ${change}. It comes back ${isInactive ? 'inactive' : 'as it was'}.`)
  if (report.accounts.some(({ isInactive }) => isInactive))
    console.log(
      'Activate those that are right under Administration, User Management. With --with-accounts they come back as they were, with the passwords of then.',
    )
  for (const name of report.missing) console.log(`Missing already when the backup was made: ${name}`)
  for (const sentence of describeSecrets(report)) console.log(sentence)
  console.log(
    report.written
      ? 'These rows and files are in their places. Everybody signs in anew, and each device takes a fresh copy of the library. Where the product is running, restart it.'
      : 'Nothing was written.',
  )
  if (aside && isRestored)
    console.log(`The old database lies in ${aside}. Delete it once everything is as it should be.`)
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof RestoreRefusal) console.error(`${message}\nNothing was written.`)
  // A full disk, or rows locked by a running product: not a bug, and restored rows stay.
  else if (code !== undefined)
    console.error(`The restore was not finished: ${message}.\nFix that and run it again.`)
  else throw error
  process.exitCode = 1
} finally {
  if (fetched !== undefined) await rm(fetched, { recursive: true, force: true })
  await locks.close()
  await database.close()
}

function describeSecrets({ secrets, hostKey, sftpPassword }: RestoreReport): string[] {
  const advice = 'see Administration, SFTP Automation, and tell the sound desk.'
  return [
    {
      restored: 'The secrets of the server: opened with BACKUP_PASSPHRASE.',
      'left aside': 'The secrets of the server: in the backup, and left aside.',
      'not in the backup': 'The secrets of the server: not in the backup.',
    }[secrets],
    {
      restored: '  SFTP host key: the one of the backup.',
      kept: '  SFTP host key: the one that is here stays.',
      'made anew': `  SFTP host key: a new one is made at the next start; ${advice}`,
    }[hostKey],
    {
      kept: '  SFTP password: the one of the backup.',
      'made anew': `  SFTP password: it cannot be read with the APP_SECRET here, so a new one is made; ${advice}`,
      none: '  SFTP password: none was set; one is made when it is first needed.',
    }[sftpPassword],
  ]
}
