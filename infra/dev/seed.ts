/** `npm run seed -- --teachings 10000`: adds generated teachings without audio, for measuring. */
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { parseArgs } from 'node:util'
import { columnsOf } from '@fellowship/api/features/teachings/teachings'
import { manyTeachings } from '@fellowship/schema/testing/builders'
import { fail, openProduct } from './open-product.ts'

const { values } = parseArgs({ options: { teachings: { type: 'string', default: '1000' } } })
const count = Number(values.teachings)
if (!Number.isInteger(count) || count < 1 || count > 200_000)
  fail(`--teachings is "${values.teachings}"; it must be a number from 1 to 200000.`)

const { database } = await openProduct('seed')
const rows = manyTeachings(count).map((row) => columnsOf(textOf(row)))
// A transaction is one page of the change feed, so it stays small.
const batch = 500
for (let at = 0; at < rows.length; at += batch) {
  await database.sql`insert into teachings ${database.sql(rows.slice(at, at + batch))}`
}
await database.close()
console.log(`${count} teachings were added.`)
