import { randomUUID } from 'node:crypto'
import { afterAll, inject } from 'vitest'
import { connect, type ConnectionOptions, type Database, type Place } from '../db/connection.ts'

interface TestDatabase {
  readonly sql: Database
  /** For a second connection, or another process. */
  readonly place: Place
}

/**
 * A migrated, empty database for this test file, dropped after its tests.
 *
 * @param options.migrated false for one without tables, as before the first start
 */
export async function testDatabase({
  migrated = true,
  ...options
}: ConnectionOptions & { migrated?: boolean } = {}): Promise<TestDatabase> {
  const template = inject('template')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const place: Place =
    'url' in template ? { url: withDatabase(template.url, name) } : { ...template, database: name }
  await asAdmin(template, async (admin) => {
    await admin`create database ${admin(name)} template ${admin(migrated ? databaseOf(template) : 'template0')}`
  })
  const sql = connect(place, options)
  afterAll(async () => {
    await sql.end({ timeout: 1 })
    await asAdmin(template, async (admin) => {
      await admin`drop database ${admin(name)} with (force)`
    })
  })
  return { sql, place }
}

async function asAdmin(template: Place, work: (admin: Database) => Promise<void>): Promise<void> {
  const place =
    'url' in template
      ? { url: withDatabase(template.url, 'postgres') }
      : { ...template, database: 'postgres' }
  const admin = connect(place, { max: 1 })
  try {
    await work(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}

const databaseOf = (place: Place) => ('url' in place ? new URL(place.url).pathname.slice(1) : place.database)

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** The same database, which counts the statements that match, also those in transactions. */
export function countedSql(sql: Database, pattern: RegExp): { sql: Database; count: () => number } {
  let count = 0
  const counted = interceptedSql(sql, (text, run) => {
    if (pattern.test(text)) count += 1
    return run()
  })
  return { sql: counted, count: () => count }
}

/** The same database, in which another connection commits a change right after the first statement that matches. */
export function changedAfter(sql: Database, pattern: RegExp, change: () => Promise<unknown>): Database {
  let isChanged = false
  // Not an async function, as a part of a statement is not awaited.
  return interceptedSql(sql, (text, run) => {
    if (isChanged || !pattern.test(text)) return run()
    isChanged = true
    return Promise.resolve(run()).then((rows) => change().then(() => rows))
  })
}

/** The same database, whose statements, also those in transactions, run when `intercept` runs them. */
function interceptedSql(sql: Database, intercept: (text: string, run: () => unknown) => unknown): Database {
  const intercepted = <T extends object>(target: T): T =>
    new Proxy(target, {
      apply(called, self, args: unknown[]) {
        const run = (): unknown => Reflect.apply(called as (...all: unknown[]) => unknown, self, args)
        const [first] = args
        return Array.isArray(first) && 'raw' in first ? intercept(first.join('?'), run) : run()
      },
      get(owner, name) {
        const value = Reflect.get(owner, name) as unknown
        if (name !== 'begin') return value
        return (...args: unknown[]) => {
          const work = args.pop() as (tx: object) => unknown
          const begin = value as (...all: unknown[]) => unknown
          return Reflect.apply(begin, owner, [...args, (tx: object) => work(intercepted(tx))])
        }
      },
    })
  return intercepted(sql)
}

/** Makes rows of the database days older: its clock cannot be set, so all dates are moved back. */
export async function letDaysPass(sql: Database, days: number): Promise<void> {
  for (const [table, column] of dated) {
    await sql`update ${sql(table)} set ${sql(column)} = ${sql(column)} - make_interval(secs => ${days * 86_400})
      where ${sql(column)} is not null`
  }
}

const dated = [
  ['audio_moved', 'moved_at'],
  ['chore_runs', 'ran_at'],
  ['held_sweeps', 'allowed_at'],
  ['inbox', 'arrived_at'],
  ['series', 'deleted_at'],
  ['sync_change', 'changed_at'],
  ['sync_mutation', 'created_at'],
  ['teachings', 'deleted_at'],
  ['uploads', 'touched_at'],
] as const
