import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../testing/test-db.ts'
import { connect } from './connection.ts'
import { migrate, migrationsFolder } from './database.ts'

const { sql, place } = await testDatabase()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'migrations-'))
  await cp(migrationsFolder(), folder, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('refuses an applied migration whose file was changed', async () => {
  await writeFile(path.join(folder, '0001_accounts.sql'), 'create table other ()')
  await expect(migrate(sql, folder)).rejects.toThrow(
    /0001_accounts\.sql was changed after it had been applied/,
  )
})

test('refuses a database of a newer version', async () => {
  await sql`insert into schema_migrations (version, name, checksum) values (9000, '9000_future.sql', 'x')`
  await expect(migrate(sql, folder)).rejects.toThrow(/newer version of the product \(9000_future\.sql\)/)
  await sql`delete from schema_migrations where version = 9000`
})

test('refuses a gap in the numbers', async () => {
  await writeFile(path.join(folder, '0099_gap.sql'), 'select 1')
  await expect(migrate(sql, folder)).rejects.toThrow(/numbered without gaps; 0099_gap\.sql/)
})

test('rolls back a migration that fails', async () => {
  const next = await nextNumber()
  await writeFile(path.join(folder, `${next}_half.sql`), 'create table half (); select 1 / 0')
  await expect(migrate(sql, folder)).rejects.toThrow(/division by zero/)
  expect(await sql`select to_regclass('half') as half`).toEqual([{ half: null }])
})

test('ignores changed line ends, and applies nothing twice', async () => {
  const name = '0001_accounts.sql'
  const { readFile } = await import('node:fs/promises')
  const text = await readFile(path.join(folder, name), 'utf8')
  await writeFile(path.join(folder, name), text.replaceAll('\n', '\r\n'))
  expect(await migrate(sql, folder)).toEqual([])
})

test('one of several concurrent runs applies', async () => {
  const next = await nextNumber()
  await writeFile(
    path.join(folder, `${next}_once.sql`),
    'create table once_only (n int); select pg_sleep(0.3)',
  )
  const others = [1, 2, 3].map(() => connect(place, { max: 1 }))
  const applied = await Promise.all(others.map((other) => migrate(other, folder)))
  await Promise.all(others.map((other) => other.end()))
  expect(applied.flat()).toEqual([`${next}_once.sql`])
  await sql`drop table once_only`
  await sql`delete from schema_migrations where version = ${Number(next)}`
})

async function nextNumber(): Promise<string> {
  const [row] = await sql<{ next: number }[]>`select max(version) + 1 as next from schema_migrations`
  return String(row!.next).padStart(4, '0')
}
