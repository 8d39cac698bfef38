import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../testing/test-db.ts'
import { connectionGate } from './connection-gate.ts'
import {
  connect,
  isLostConnectionThrow,
  isUnreachable,
  reserveConnection,
  type Database,
} from './connection.ts'

const { sql, place } = await testDatabase()

test('statements, lock waits and idle transactions time out', async () => {
  const [limits] = await sql`select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('application_name') as application_name`
  expect(limits).toEqual({ statement: '15s', lock: '5s', idle: '10s', applicationName: 'fellowship' })
})

test('a transaction begins behind a hundred statements', async () => {
  const two = connect(place, { max: 2 })
  const faults: string[] = []
  for (const before of [98, 99, 100, 101]) {
    const held = two.begin((tx) => tx`select pg_sleep(0.5)`)
    await two`select 1`
    const statements = Array.from({ length: before }, () => two`select pg_sleep(0.001)`.execute())
    const begun = two.begin((tx) => tx`select 1 as one`)
    await Promise.all(statements)
    await begun.catch((error: unknown) => faults.push(`${before}: ${String(error)}`))
    await held
  }
  await two.end()
  expect(faults).toEqual([])
})

test('a bigint beyond 2^53 is refused rather than rounded', async () => {
  await expect(sql`select 9007199254740993::bigint as n`).rejects.toThrow(
    /9007199254740993 does not fit a number/,
  )
  expect(await sql`select 9007199254740991::bigint as n`).toEqual([{ n: 9007199254740991 }])
})

test('columns are camel-cased, names inside JSON values are left alone', async () => {
  const [row] = await sql`select '{"snake_case": 1}'::jsonb as some_value`
  expect(row).toEqual({ someValue: { snake_case: 1 } })
})

test.each(['UTC', 'Pacific/Auckland', 'America/New_York'])(
  'times and dates are right under TZ=%s',
  (zone) => {
    const script = `
    import { connect } from ${JSON.stringify(path.join(import.meta.dirname, 'connection.ts'))}
    const sql = connect(JSON.parse(process.env.PLACE), { max: 1 })
    const at = new Date('2026-09-26T13:30:00.123Z')
    await sql\`create temp table times (plain timestamp, zoned timestamptz, day date)\`
    await sql\`insert into times values (\${at}, \${at}, '2026-09-27')\`
    const [row] = await sql\`select plain, zoned, day, plain::text as plain_text, (zoned at time zone 'utc')::text as zoned_text,
      '2026-11-22 11:00:00.5+13'::timestamptz as offset_given from times\`
    console.log(JSON.stringify(row))
    await sql.end()`
    const printed = run(script, zone)
    expect(JSON.parse(printed)).toEqual({
      plain: '2026-09-26T13:30:00.123Z',
      zoned: '2026-09-26T13:30:00.123Z',
      day: '2026-09-27',
      plainText: '2026-09-26 13:30:00.123',
      zonedText: '2026-09-26 13:30:00.123',
      offsetGiven: '2026-11-21T22:00:00.500Z',
    })
  },
)

test('a refused statement is no lost database', async () => {
  const refused = await sql`select 1 / 0`.catch((error: unknown) => error)
  expect([refused, isUnreachable(refused)]).toEqual([expect.any(Error), false])
})

test('a missing database or unknown host is a lost database', async () => {
  const gone = 'url' in place ? { url: place.url.replace(/[^/]+$/, 'gone') } : { ...place, database: 'gone' }
  for (const elsewhere of [gone, { url: 'postgres://ann@nowhere.invalid/church' }]) {
    const other = connect(elsewhere, { max: 1 })
    const refused = await other`select 1`.catch((error: unknown) => error)
    await other.end()
    expect([refused, isUnreachable(refused)]).toEqual([expect.any(Error), true])
  }
})

// The password was changed at PostgreSQL; the account may not connect; all connections are taken.
test.each(['28P01', '28000', '53300'])('a refusal with %s is a lost database', (code) => {
  expect(isUnreachable(Object.assign(new Error('refused'), { code }))).toBe(true)
})

test('recognizes only the error of a lost connection', () => {
  expect(isLostConnectionThrow(new TypeError("Cannot read properties of null (reading 'write')"))).toBe(false)
  expect(isLostConnectionThrow(new Error('nextWrite'))).toBe(false)
})

test('the pool reconnects after a reserved connection is lost', () => {
  const script = `
    import { connect, guardLostConnections } from ${JSON.stringify(path.join(import.meta.dirname, 'connection.ts'))}
    const caught = []
    guardLostConnections((error) => caught.push(error.message))
    const place = JSON.parse(process.env.PLACE)
    const sql = connect(place, { max: 2 }), killer = connect(place, { max: 1 })
    const reserved = await sql.reserve()
    const [{ pid }] = await reserved\`select pg_backend_pid() as pid\`
    await killer\`select pg_terminate_backend(\${pid})\`
    // Such a query may reject, or never settle: it is not awaited.
    for (let tries = 0; tries < 2; tries++) {
      reserved\`select 1\`.catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    console.log(JSON.stringify({ caught, pool: await sql\`select 1 as n\` }))
    process.exit(0)`
  const printed = JSON.parse(run(script)) as { caught: string[]; pool: unknown }
  expect(new Set(printed.caught)).toEqual(new Set(["Cannot read properties of null (reading 'write')"]))
  expect(printed.pool).toEqual([{ n: 1 }])
})

test.each([
  ['thrown', "throw new TypeError('another')"],
  [
    'rejected, of another host',
    "Promise.reject(Object.assign(new TypeError('another'), { code: 'ENOTFOUND' }))",
  ],
])('any other uncaught error (%s) still ends the process', (_, fail) => {
  const script = `
    import { guardLostConnections } from ${JSON.stringify(path.join(import.meta.dirname, 'connection.ts'))}
    guardLostConnections(() => undefined)
    setTimeout(() => console.log('still here'), 100)
    setImmediate(() => { ${fail} })`
  expect(() => run(script)).toThrow(/TypeError: another/)
})

function run(script: string, zone = 'UTC'): string {
  return execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    env: { ...process.env, TZ: zone, PLACE: JSON.stringify(place) },
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 25_000,
  })
}

test('replaces a connection lost while a query was written', async () => {
  const gate = connectionGate()
  const pool = connect(place, { max: 1, gate })
  await pool`select 1`
  // The library buffers small writes until the next turn of the event loop; a socket that is destroyed in the same phase as
  // setImmediate closes before that.
  await new Promise((resolve) => setImmediate(resolve))
  const lost = pool`select 2`.then(
    () => 'answered',
    () => 'lost',
  )
  for (let microtask = 0; microtask < 3; microtask += 1) await Promise.resolve()
  gate.shut()
  expect(await lost).toBe('lost')
  gate.release()
  expect(await pool`select 3 as three`).toEqual([{ three: 3 }])
  expect(await pool`show datestyle`).toEqual([{ DateStyle: 'ISO, YMD' }])
  await pool.end()
})

describe('a connection that is waited for', () => {
  let pool: Database
  beforeEach(async () => {
    pool = connect(place, { max: 2 })
    // Both are open.
    await Promise.all([1, 2].map(() => pool`select pg_sleep(0.05)`))
    return () => pool.end({ timeout: 1 })
  })
  /** Has the other connection at work for so long. */
  async function sleep(seconds: number): Promise<{ over: Promise<unknown> }> {
    const over = pool`select pg_sleep(${seconds})`.execute()
    await delay(50)
    return { over }
  }

  test('comes though another one was closed meanwhile', async () => {
    const lost = await pool.reserve()
    const [{ pid }] = (await lost`select pg_backend_pid() as pid`) as unknown as [{ pid: number }]
    const { over } = await sleep(1)
    const waiting = reserveConnection(pool)
    await sql`select pg_terminate_backend(${pid})`
    const held = await waiting
    expect(await held.sql`select 1 as n`).toEqual([{ n: 1 }])
    await over
    await held.release()
  })

  test('a connection requested twice during a long wait is held once', async () => {
    const other = await pool.reserve()
    const { over } = await sleep(2.5)
    const held = await reserveConnection(pool)
    await over
    other.release()
    expect(await held.sql`select 1 as n`).toEqual([{ n: 1 }])
    expect(await pool`select 2 as n`).toEqual([{ n: 2 }])
    await held.release()
  })
})

test('releases connection and locks though the first check fails', async () => {
  const pool = connect(place, { max: 2 })
  let failures = 1
  // The check over another connection of the pool fails the first time.
  const failing = new Proxy(pool, {
    apply: (target, self, words: unknown[]) =>
      failures-- > 0
        ? Promise.reject(new Error('write CONNECTION_CLOSED'))
        : (Reflect.apply(target, self, words) as unknown),
  }) as Database
  try {
    const held = await reserveConnection(failing)
    await held.sql`select pg_advisory_lock(4711)`
    await held.release()
    expect(await sql`select pg_try_advisory_lock(4711) as free`).toEqual([{ free: true }])
  } finally {
    await pool.end({ timeout: 1 })
  }
})
