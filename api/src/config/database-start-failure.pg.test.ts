import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failingStart } from '../testing/failing-start.ts'
import { testDatabase } from '../testing/test-db.ts'

const { sql, place } = await testDatabase()
const database = 'url' in place ? new URL(place.url).pathname.slice(1) : place.database
const dataDir = mkdtempSync(path.join(tmpdir(), 'database-start-'))
const name = (role: string) => `${role}_${suffix}`
const suffix = randomUUID().slice(0, 8)
const roles = ['no_login', 'no_rights', 'no_connection'] as const

/** The embedded server has a socket alone; DATABASE_URL names a host and a port. */
const bridge = createServer((near) => {
  const far = connect(
    'url' in place
      ? { host: new URL(place.url).hostname, port: Number(new URL(place.url).port || 5432) }
      : { path: `${place.socketFolder}/.s.PGSQL.5432` },
  )
  near.on('error', () => far.destroy())
  far.on('error', () => near.destroy())
  near.pipe(far).pipe(near)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve))
  for (const role of roles) await sql`create role ${sql(name(role))} login`
  await sql`alter role ${sql(name('no_login'))} nologin`
  await sql`alter role ${sql(name('no_connection'))} connection limit 0`
})
afterAll(async () => {
  bridge.close()
  for (const role of roles) await sql`drop role ${sql(name(role))}`
  rmSync(dataDir, { recursive: true, force: true })
})

test.each<[user: string, database: string, sentence: RegExp]>([
  [name('nobody'), database, /DATABASE_URL is refused for the user nobody_\w+: role .* Check the user/],
  [name('no_login'), database, /DATABASE_URL is refused for the user no_login_\w+: role .* not permitted/],
  [
    name('no_rights'),
    `${database}_x`,
    /DATABASE_URL names the database \w+_x, .* createdb --owner=no_rights/,
  ],
  [
    name('no_rights'),
    database,
    /DATABASE_URL leads to a database where no_rights_\w+ lacks rights: permission/,
  ],
  [name('no_connection'), database, /DATABASE_URL leads to a server without a free connection\. Raise/],
])('a refusal by PostgreSQL for %s of %s is one sentence', async (user, base, sentence) => {
  const { port } = bridge.address() as AddressInfo
  const { code, lines } = await failingStart({
    DATA_DIR: dataDir,
    DATABASE_URL: `postgres://${user}:a-password@127.0.0.1:${port}/${base}`,
  })
  expect(lines).toEqual([expect.stringMatching(sentence)])
  expect(code).toBe(1)
})
