import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { atMost } from '../machine/concurrency.ts'
import { connectionGate, type ConnectionGate } from './connection-gate.ts'
import {
  connect,
  type ConnectionOptions,
  type Database,
  type Place,
  inTransaction,
  type Transaction,
} from './connection.ts'
import { startEmbedded } from './embedded.ts'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** The product's database, migrated. */
export interface OpenDatabase {
  readonly sql: Database
  readonly place: Place
  /** Cuts connections while the database hangs. */
  readonly gate: ConnectionGate
  /** Ends the connections, and the embedded server if there is one. */
  close(): Promise<void>
}

interface OpenOptions extends ConnectionOptions {
  /** Called when an embedded server that ended by itself is being restarted. */
  onRestart?: (why: string) => void
  /** Called when the database stops answering without having ended, and when it answers again. */
  onHang?: (answers: boolean) => void
  /** As `EmbeddedOptions` has it. */
  onMovedAside?: (aside: string) => void
}

const databaseName = 'fellowship'

/**
 * Opens DATABASE_URL, else the embedded server, and migrates.
 *
 * @throws Error with a sentence that names the way out
 */
export async function openDatabase(
  {
    databaseUrl,
    dataDir,
    database,
  }: Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'database'>>,
  { onRestart, onHang, onMovedAside, ...options }: OpenOptions = {},
): Promise<OpenDatabase> {
  const server =
    databaseUrl === undefined
      ? await startEmbedded({
          dataDir,
          ...(onRestart && { onRestart }),
          ...(onMovedAside && { onMovedAside }),
        })
      : undefined
  const place: Place = server
    ? { socketFolder: server.socketFolder, database: databaseName }
    : { url: databaseUrl!, caFile: database?.caFile }
  const gate = connectionGate()
  const max = database?.connections
  const sql = connect(place, { ...(max !== undefined && { max }), ...options, gate })
  let stopWatching = async () => {}
  let answers = true
  const close = async () => {
    await stopWatching()
    // Running work may end, but PostgreSQL needs most of the time that service managers give.
    await sql.end({ timeout: answers ? 3 : 0 })
    await server?.stop({ hangs: !answers })
  }
  try {
    if (server) await createDatabase({ socketFolder: server.socketFolder, database: databaseName })
    await migrate(sql)
    if (onHang)
      stopWatching = watchAnswers(place, gate, (now) => {
        answers = now
        onHang(now)
      })
  } catch (error) {
    await close()
    throw error
  }
  return { sql, place, gate, close }
}

/** Creates a database of the embedded server unless it is there; `template` is copied. */
export async function createDatabase(
  { socketFolder, database }: { socketFolder: string; database: string },
  template = 'template0',
): Promise<void> {
  const sql = connect({ socketFolder, database: 'postgres' }, { max: 1 })
  try {
    const there = await sql`select 1 from pg_database where datname = ${database}`
    if (there.length === 0) await sql`create database ${sql(database)} template ${sql(template)}`
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A probe every two seconds with a timeout of five: waiting queries fail within seven. */
const pauseMs = 2_000
const answerMs = 5_000

/**
 * Asks the database on a connection of its own whether it answers. While it hangs, without having ended, `gate` is shut:
 * requests fail at once instead of waiting without end. Returns the function that stops asking.
 */
function watchAnswers(
  place: Place,
  gate: ConnectionGate,
  onChange: (answers: boolean) => void,
): () => Promise<void> {
  const ownGate = connectionGate()
  const sql = connect(place, { max: 1, applicationName: 'fellowship-watch', gate: ownGate })
  const stopped = new AbortController()
  const watching = watch()

  async function watch(): Promise<void> {
    let answers = true
    while (!stopped.signal.aborted) {
      const now = await isAnswering(sql)
      if (!now) {
        // The next question goes over a new connection: the old one may lead nowhere.
        ownGate.shut()
        ownGate.release()
      }
      if (stopped.signal.aborted) break
      if (now !== answers) {
        answers = now
        if (now) gate.release()
        else gate.shut()
        onChange(answers)
      }
      await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  return async () => {
    stopped.abort()
    await sql.end({ timeout: 0 })
    await watching
  }
}

/** A refusal is an answer too: a database that is down fails requests by itself. */
async function isAnswering(sql: Database): Promise<boolean> {
  let isSettled = false
  const settle = () => void (isSettled = true)
  const asked = sql`select 1`.then(settle, settle)
  await atMost(answerMs, asked)
  // After a long task of this process the timer comes first, though the answer is already there.
  for (let turn = 0; turn < 3 && !isSettled; turn++) await nextTurn()
  return isSettled
}

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
