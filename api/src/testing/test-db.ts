import { randomUUID } from 'node:crypto'
import { afterAll, inject } from 'vitest'
import { connect, type ConnectionOptions, type Database, type Place } from '../db/connection.ts'

export interface TestDatabase {
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
