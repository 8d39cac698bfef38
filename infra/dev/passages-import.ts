/**
 * `npm run passages:import FILE [-- --dry-run] [-- --with-permission]`: imports scripture passages from CSV or JSON into
 * the table that popovers quote from. With the embedded database, stop the product first.
 */
import { parseArgs } from 'node:util'
import { importPassages } from '@fellowship/api/features/passages/passages'
import { loadPassageFile, readPassageFile } from '@fellowship/api/features/passages/passage-file'
import { passageTexts } from '@fellowship/schema/passages/passages.texts'
import { fail, openProduct } from './open-product.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    'with-permission': { type: 'boolean', default: false },
  },
})
const [file] = positionals
if (!file || positionals.length > 1) {
  fail(
    'Say which file: npm run passages:import passages.csv (columns reference,text,translation,copyright line)',
  )
}

const content = await loadPassageFile(file).catch((error: NodeJS.ErrnoException) =>
  fail(`${file} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`),
)
if (content === undefined) fail(`${file} was not read. ${passageTexts.fileTooLarge}`)
const { passages, problems } = readPassageFile(content)
for (const { line, sentence } of problems) console.error(`${file}, line ${line}: ${sentence}`)
if (problems.length > 0) fail(`Nothing was imported: ${problems.length} of the lines are invalid.`)

const { database } = await openProduct('passages-import')
const report = await importPassages({ sql: database.sql }, passages, {
  permission: values['with-permission'],
  dryRun: values['dry-run'],
})
await database.close()
for (const sentence of report.refusals) console.error(sentence)
if (report.refusals.length > 0)
  fail('Nothing was imported. With permission: npm run passages:import FILE -- --with-permission')
const known = passages.length - report.added - report.changed
console.log(
  values['dry-run']
    ? `${passages.length} passages are in order. Nothing was written.`
    : `${report.added} passages added, ${report.changed} changed, ${known} as they were.`,
)
console.log(passageTexts.counted(report.counted))
