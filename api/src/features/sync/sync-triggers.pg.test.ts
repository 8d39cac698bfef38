import { expect, test } from 'vitest'
import { testDatabase } from '../../testing/test-db.ts'
import { assertSyncTriggers, syncedTables } from './database-history.ts'

const { sql } = await testDatabase()

test.each(syncedTables)('reports a disabled trigger of %s', async (table) => {
  await sql`alter table ${sql(table)} disable trigger sync_2_before_row`
  await expect(assertSyncTriggers(sql)).rejects.toThrow(`${table}.sync_2_before_row`)
  await sql`alter table ${sql(table)} enable trigger sync_2_before_row`
  await assertSyncTriggers(sql)
})

test('reports a missing trigger', async () => {
  await sql`drop trigger sync_3_after_row on passages`
  await expect(assertSyncTriggers(sql)).rejects.toThrow('passages.sync_3_after_row missing')
})
