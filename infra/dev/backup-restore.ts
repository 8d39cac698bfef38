/**
 * `npm run backup:restore FILE [-- --dry-run] [-- --replace]`: verifies a backup and puts its state into DATA_DIR and the
 * database. With the embedded database: while the product is stopped.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { judgeEnv } from '@fellowship/api/config/config'
import { readEnv } from '@fellowship/api/config/env'
import { openDatabase } from '@fellowship/api/db/database'
import { restore, RestoreRefusal } from '@fellowship/api/features/backup/restore'
import { systemClock } from '@fellowship/api/machine/clock'
import { diskStorage } from '@fellowship/api/machine/disk-storage'

/** A backup holds neither APP_SECRET nor the host key. */
const anew =
  'With another APP_SECRET or another data folder than before, the SFTP password and the host key of the file-transfer ' +
  'server are made anew: see Administration, SFTP Automation, and tell the sound desk both.'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, replace: { type: 'boolean', default: false } },
})
const [file] = positionals
if (!file || positionals.length > 1)
  fail('Say which file: npm run backup:restore fellowship-backup-2026-11-21.zip')

const config = judgeEnv(readEnv())
const database = await openDatabase(config, { applicationName: 'backup-restore' }).catch((error: Error) =>
  fail(error.message),
)
try {
  const context = { sql: database.sql, storage: diskStorage(config.dataDir), clock: systemClock }
  const report = await restore(context, path.resolve(file), {
    dryRun: values['dry-run'],
    replace: values.replace,
  })
  console.log(`The backup of ${report.createdAt} (version ${report.version}) is whole.`)
  console.log(
    `${report.recordings} recordings and ${report.photos} photo files, ${(report.bytes / 1e6).toFixed(1)} MB.`,
  )
  for (const [table, rows] of Object.entries(report.rows)) console.log(`  ${table}: ${rows}`)
  for (const name of report.missing) console.log(`Missing already when the backup was made: ${name}`)
  console.log(
    report.written
      ? 'Everything is back. Everybody signs in anew, and each device takes a fresh copy of the library.'
      : 'Nothing was written.',
  )
  if (report.written) console.log(anew)
} catch (error) {
  if (!(error instanceof RestoreRefusal)) throw error
  console.error(`${error.message}\nNothing was written.`)
  process.exitCode = 1
} finally {
  await database.close()
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
