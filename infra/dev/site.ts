/**
 * `npm run site -- export FILE` writes the identity of the site into a JSON file, with its pictures; `npm run site -- import FILE`
 * changes the site to it, as an edit in Administration does. Also while the product runs.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { settlementNotes } from '@fellowship/api/cluster/cluster'
import { databaseLocks } from '@fellowship/api/db/locks'
import { exportSite, importSite } from '@fellowship/api/features/site/site-file'
import { inProcessChanges } from '@fellowship/api/machine/changes'
import { systemClock } from '@fellowship/api/machine/clock'
import { createLog } from '@fellowship/api/machine/log'
import { configuredStorage } from '@fellowship/api/machine/storage/configured-storage'
import { Problem } from '@fellowship/schema/problem'
import { installValidationMessages } from '@fellowship/schema/validation-messages'
import { fail, openProduct } from './open-product.ts'

const usage = 'Say what to do: npm run site -- export site.json (or import site.json)'
const [command, file, ...others] = process.argv.slice(2)
if ((command !== 'export' && command !== 'import') || !file || others.length > 0) fail(usage)
installValidationMessages()

const text = command === 'import' ? await read(file) : ''
const { config, database } = await openProduct('site', { mayJoin: true })
const { sql, place } = database
const locks = await databaseLocks(place, sql)
const storage = configuredStorage(config, locks.owner, settlementNotes(sql, locks.owner))
try {
  if (command === 'export') await write(file, await exportSite({ sql, config, storage }))
  else await takeIn()
} finally {
  await locks.close()
  await database.close()
}
process.exit(process.exitCode ?? 0)

async function takeIn(): Promise<void> {
  const log = createLog('error')
  const store = { sql, config, storage, locks, log, clock: systemClock, changes: inProcessChanges() }
  try {
    const changed = await importSite(store, text, { id: null, name: 'the server’s keeper' })
    console.log(
      changed.length > 0
        ? `Changed: ${changed.join(', ')}.`
        : 'Nothing was changed: the site is like this already.',
    )
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    for (const sentence of error.message.split('\n')) console.error(`${file}: ${sentence}`)
    process.exitCode = 1
  }
}

async function read(name: string): Promise<string> {
  return readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) =>
    fail(`${name} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`),
  )
}

async function write(name: string, content: string): Promise<void> {
  await writeFile(`${name}.part`, content)
  await rename(`${name}.part`, name)
  console.log(`The site was written to ${name}.`)
}
