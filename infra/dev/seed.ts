/** `npm run seed -- --teachings 10000`: fills the database with invented teachings without audio, for measuring. */
import { parseArgs } from 'node:util'
import { judgeEnv } from '@fellowship/api/config/config'
import { readEnv } from '@fellowship/api/config/env'
import { openDatabase } from '@fellowship/api/db/database'
import { columnsOf } from '@fellowship/api/features/teachings/teachings'
import { manyTeachings } from '@fellowship/schema/testing/builders'

const { values } = parseArgs({ options: { teachings: { type: 'string', default: '1000' } } })
const count = Number(values.teachings)
if (!Number.isInteger(count) || count < 1 || count > 200_000) {
  console.error(`--teachings is "${values.teachings}"; it must be a number from 1 to 200000.`)
  process.exit(1)
}

const database = await openDatabase(judgeEnv(readEnv()), { applicationName: 'seed' }).catch(
  (error: Error) => {
    console.error(error.message)
    process.exit(1)
  },
)
const rows = manyTeachings(count).map((row) =>
  columnsOf({ ...row, scriptureReference: row.scriptureReference ?? '' }),
)
// One transaction is one page for every device, so a transaction stays small.
const batch = 500
for (let at = 0; at < rows.length; at += batch) {
  await database.sql`insert into teachings ${database.sql(rows.slice(at, at + batch))}`
}
await database.close()
console.log(`${count} teachings were added.`)
