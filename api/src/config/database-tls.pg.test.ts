import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type Database } from '../db/connection.ts'
import { openDatabase } from '../db/database.ts'
import { failingStart, startRefusal } from '../testing/failing-start.ts'
import { isOpensslMissing, startTlsPostgres, type TlsPostgres } from '../testing/tls-postgres.ts'

const dataDir = mkdtempSync(path.join(tmpdir(), 'tls-start-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

describe.skipIf(isOpensslMissing())('a PostgreSQL with a certificate', () => {
  let server: TlsPostgres
  let admin: Database
  beforeAll(async () => {
    server = await startTlsPostgres()
    admin = connect({ url: address('postgres') }, { max: 1 })
    await admin`create database church`
  })
  afterAll(async () => {
    await admin.end({ timeout: 1 })
    await server.stop()
  })

  const address = (database: string, { query = '', host = '127.0.0.1' } = {}) =>
    `postgres://church:a-password@${host}:${server.port}/${database}${query}`

  async function set(setting: string, value: string): Promise<void> {
    await admin.unsafe(`alter system set ${setting} = '${value}'`)
    await admin`select pg_reload_conf()`
    const current = async () =>
      (await admin`select current_setting(${setting}) as value`)[0]!['value'] as string
    await expect.poll(current).toBe(value)
  }

  type Trust = 'authority' | 'otherAuthority' | undefined
  const settings = (query: string, trust: Trust, host?: string) => ({
    DATA_DIR: dataDir,
    // A database that is not there: a start that gets to it ends as well.
    DATABASE_URL: address('nowhere', { query, ...(host !== undefined && { host }) }),
    DATABASE_CA: trust && server[trust],
  })

  test.each<[string, Trust, RegExp]>([
    ['?sslmode=require', undefined, /no TLS, for which sslmode=require asks\. Set ssl = on there, or leave/],
    ['?sslmode=verify-full', undefined, /no TLS, for which sslmode=verify-full asks\./],
    ['', 'authority', /no TLS, for which DATABASE_CA asks\. Set ssl = on there, or leave DATABASE_CA away/],
  ])('ends the start without TLS, asked with "%s" and CA %s', async (query, trust, sentence) => {
    await set('ssl', 'off')
    expect(await startRefusal(settings(query, trust))).toMatch(sentence)
  })

  test.each<[string, Trust, string | undefined, RegExp]>([
    [
      '?sslmode=verify-full',
      undefined,
      undefined,
      /is not trusted \(.*\)\. Set DATABASE_CA to the file of its/,
    ],
    [
      '',
      'otherAuthority',
      undefined,
      /is not trusted \(.*\)\. DATABASE_CA is .*other\.pem: set it to the file of/,
    ],
    ['?sslmode=require', 'otherAuthority', undefined, /is not trusted .*DATABASE_CA/],
    ['', 'authority', 'localhost', /certificate is not for localhost \(.*\)\. Write a name that is in it/],
  ])('ends the start with "%s", CA %s and host %s', async (query, trust, host, sentence) => {
    await set('ssl', 'on')
    expect(await startRefusal(settings(query, trust, host))).toMatch(sentence)
  })

  test('the process ends with the sentence', async () => {
    await set('ssl', 'on')
    const { code, lines } = await failingStart(settings('?sslmode=verify-full', undefined))
    expect([code, lines]).toEqual([1, [expect.stringMatching(/is not trusted/)]])
  })

  test.each([[''], ['?sslmode=verify-full']])('is used with its CA and "%s", encrypted', async (query) => {
    await set('ssl', 'on')
    const opened = await openDatabase({
      dataDir,
      databaseUrl: address('church', { query }),
      database: { caFile: server.authority, connections: 3 },
    })
    const [row] = await opened.sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
    await opened.close()
    expect(row).toEqual({ ssl: true })
  })

  test('a refusal of unencrypted connections names the setting', async () => {
    await set('ssl', 'on')
    await server.wantTls()
    await admin`select pg_reload_conf()`
    await expect
      .poll(() => startRefusal(settings('', undefined)))
      .toMatch(/wants TLS: .*no encryption\. Add \?sslmode=verify-full to the address, and set DATABASE_CA/)
  })

  test('recognizes a database that is shutting down', async () => {
    server.shutDownSlowly()
    await expect
      .poll(() => startRefusal(settings('?sslmode=require', undefined)))
      .toMatch(/just starting or stopping: the database system is shutting down\. Try again/)
  })
})
