import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { inTransaction, type Database, type Transaction } from './connection.ts'

interface Migration {
  version: number
  name: string
  text: string
  checksum: string
}

/** The folder of the migrations, relative to the sources or to the built bundle. */
export function migrationsFolder(): string {
  const found = ['../../migrations', '../migrations']
    .map((relative) => path.join(import.meta.dirname, relative))
    .find((folder) => existsSync(folder))
  if (!found) throw new Error('The folder api/migrations is missing from this installation.')
  return found
}

/**
 * Brings the database up to the newest numbered file, each in a transaction of its own. Several processes may do so
 * at once: one applies a migration, the others wait.
 *
 * @returns the names applied now
 * @throws Error with a sentence if the database and the files do not belong together
 */
export async function migrate(sql: Database, folder = migrationsFolder()): Promise<string[]> {
  await checkServerVersion(sql)
  const migrations = await readMigrations(folder)
  await withLock(sql, async (tx) => {
    await tx`create table if not exists schema_migrations (
      version integer primary key, name text not null, checksum text not null,
      applied_at timestamptz not null default now())`
    await compare(tx, migrations)
  })
  const applied: string[] = []
  for (const migration of migrations) {
    if (await withLock(sql, (tx) => apply(tx, migration))) applied.push(migration.name)
  }
  return applied
}

async function checkServerVersion(sql: Database): Promise<void> {
  const [row] = await sql<{ number: number; text: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as text`
  if (row && row.number < 140_000) {
    throw new Error(`PostgreSQL 14 or newer is needed; DATABASE_URL leads to ${row.text}.`)
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
      if (version !== index + 1) {
        throw new Error(`Migrations are numbered without gaps; ${name} is number ${index + 1} in ${folder}.`)
      }
      // A checkout may have changed the line ends; the checksum ignores that.
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function compare(tx: Transaction, migrations: Migration[]): Promise<void> {
  const applied = await tx<{ version: number; name: string; checksum: string }[]>`
    select version, name, checksum from schema_migrations order by version`
  for (const { version, name, checksum } of applied) {
    const file = migrations[version - 1]
    if (!file) {
      throw new Error(
        `The database was migrated by a newer version of the product (${name}). Start that version, or bring in a backup.`,
      )
    }
    if (file.checksum !== checksum) {
      throw new Error(
        `The migration ${file.name} was changed after it had been applied. Put it back as it was and write a new one.`,
      )
    }
  }
}

async function apply(tx: Transaction, { version, name, text, checksum }: Migration): Promise<boolean> {
  const done = await tx`select 1 from schema_migrations where version = ${version}`
  if (done.length > 0) return false
  await tx.unsafe(text)
  await tx`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`
  return true
}

/** An arbitrary number that no other advisory lock of the database uses. */
const lockKey = 4_818_740_429

async function withLock<T>(sql: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(sql, async (tx) => {
    // Waiting for another process, or migrating a large table, may exceed the limits for requests.
    await tx`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`
    await tx`select pg_advisory_xact_lock(${lockKey})`
    return work(tx)
  })
}
