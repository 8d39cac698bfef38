import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { sftpApp } from '../../testing/sftp.ts'
import { testDevice } from '../../testing/push-device.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'
import { subscribe } from '../push/push.ts'

const app = await testApp()
const token = 'a-token-that-nobody-guesses'
const closed = await testApp({ METRICS_TOKEN: token, TRUST_PROXY: '1' })
const desk = await sftpApp(undefined, { METRICS_TOKEN: token })

test.each([undefined, 'Bearer ', `Bearer ${token}`])(
  'is closed to %s without METRICS_TOKEN',
  async (given) => {
    const headers: Record<string, string> = given === undefined ? {} : { authorization: given }
    const answer = await fetch(`${app.url}/metrics`, { headers })
    expect([answer.status, await answer.text()]).toEqual([404, 'There is nothing at this address.'])
  },
)

test.each([undefined, 'Bearer wrong', token])('METRICS_TOKEN refuses %s', async (authorization) => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  expect((await fetch(`${closed.url}/metrics`, { headers })).status).toBe(404)
})

test('counts requests by route, not by address', async () => {
  for (const id of [1, 2, 3]) await fetch(`${closed.url}/api/elders/${id}`, { method: 'DELETE' })
  await fetch(`${closed.url}/nobody/made/this/up`)
  const answer = await fetch(`${closed.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/)
  const text = await answer.text()
  expect(text).toContain('request_seconds_count{method="DELETE",route="/api/elders/:id",status="401"} 3')
  expect(text).toContain('route="other",status="404"')
  expect(text).not.toContain('made')
  expect(text).toMatch(/^fellowship_storage_free_bytes [1-9]/m)
  expect(text).toMatch(/^fellowship_database_connections_idle \d/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
})

test('counts waiting, received and overdue items', async () => {
  const { sql, clock } = closed.context
  const read = async () => {
    const answer = await fetch(`${closed.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    const text = await answer.text()
    return (name: string) => {
      const found = new RegExp(`^fellowship_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)
      return found ? Number(found[1]) : undefined
    }
  }
  const before = await read()
  expect([before('uploads_open'), before('inbox_files'), before('backup_age_seconds')]).toEqual([
    0,
    0,
    undefined,
  ])
  expect(before('storage_total_bytes')).toBeGreaterThan(before('storage_free_bytes')!)

  const person = await closed.signedIn()
  const { csrfToken } = await call(auth.csrfToken, {}, person)
  expect((await tusClient(person, csrfToken).create(5_000_000, { filename: 'a.mp3' })).status).toBe(201)
  const hourAgo = new Date(clock.now().getTime() - 3_600_000)
  await sql`insert into inbox (id, state, filename, bytes, arrived_at)
    values (gen_random_uuid(), 'waiting', 'x.mp3', 1, ${hourAgo})`
  await sql`insert into backups (id, kind, started_at, actor, file_name, bytes, files, result)
    values (gen_random_uuid(), 'manual', ${hourAgo}, 'Ann', 'a.zip', 1, 1, 'complete')`
  await sql`insert into teachings (title, speaker, date, year, audio_url, audio_sha256, audio_bytes)
    values ('Hope', 'Ann', '2026-01-04', 2026, '/audio/x.mp3', ${'a'.repeat(64)}, 1)`
  await sql`insert into recording_checks (sha256, fault) values (${'a'.repeat(64)}, 'damaged')`
  await subscribe(closed.context, { subscription: testDevice().subscription, every: 'week' })
  const after = await read()
  expect([after('push_devices'), after('push_waiting')]).toEqual([1, 0])
  expect([after('push_sent'), after('push_failed')]).toEqual([expect.any(Number), expect.any(Number)])
  expect([after('uploads_open'), after('uploads_open_bytes')]).toEqual([1, 5_000_000])
  expect([after('inbox_files'), after('recordings_faulty'), after('copies_waiting')]).toEqual([1, 1, 1])
  expect(after('inbox_oldest_seconds')).toBeCloseTo(3600, -1)
  expect(after('backup_age_seconds')).toBeCloseTo(3600, -1)
})

test('counts open event streams', async () => {
  const headers = { authorization: `Bearer ${token}` }
  const running = async () =>
    (await (await fetch(`${closed.url}/metrics`, { headers })).text()).match(
      /requests_running\{route="\/api\/sync\/events"\} (\d+)/,
    )?.[1]
  const leave = new AbortController()
  const stream = await fetch(`${closed.url}/api/sync/events`, { signal: leave.signal })
  expect([stream.status, await running()]).toEqual([200, '1'])
  leave.abort()
  await expect.poll(running).toBe('0')
})

test('measures the delay until devices fetch changes', async () => {
  const { sql, clock } = closed.context
  const headers = { authorization: `Bearer ${token}` }
  const lag = async () => {
    const text = await (await fetch(`${closed.url}/metrics`, { headers })).text()
    const read = (name: string) =>
      Number(new RegExp(`^fellowship_sync_lag_seconds_${name} (.+)$`, 'm').exec(text)![1])
    return { count: read('count'), sum: read('sum') }
  }
  const pull = async (since: string) =>
    (await (await fetch(`${closed.url}/api/sync?since=${since}`)).json()) as { next: string; mode: string }
  const { next } = await pull('nothing')
  expect([await pull(next), await lag()]).toMatchObject([{ mode: 'delta' }, { count: 0 }])
  await sql`insert into teachings (title, speaker, date, year, audio_url, audio_sha256, audio_bytes)
    values ('Peace', 'Ann', '2026-01-11', 2026, '/audio/y.mp3', ${'b'.repeat(64)}, 1)`
  await sql`update sync_change set changed_at = ${new Date(clock.now().getTime() - 3_600_000)}
    where rev = (select rev from sync_clock)`
  const later = await pull(next)
  await pull(later.next)
  const { count, sum } = await lag()
  expect(count).toBe(1)
  expect(sum).toBeCloseTo(3600, -1)
})

test('counts connected SFTP clients', async () => {
  const headers = { authorization: `Bearer ${token}` }
  const sessions = async () =>
    (await (await fetch(`${desk.url}/metrics`, { headers })).text()).match(
      /^fellowship_sftp_sessions (\d+)/m,
    )?.[1]
  await expect.poll(sessions).toBe('0')
  const { connection } = await desk.connect()
  expect(await sessions()).toBe('1')
  connection.end()
  await expect.poll(sessions).toBe('0')
})

test('the dashboard shows only existing metrics', async () => {
  const dashboard = await readFile(new URL('../../../../infra/deploy/grafana.json', import.meta.url), 'utf8')
  const shown = new Set(dashboard.match(/\b(?:fellowship|nodejs|process)_\w+/g))
  expect(shown.size).toBeGreaterThan(15)
  const { sql, clock } = closed.context
  await sql`insert into backups (id, kind, started_at, actor, file_name, bytes, files, result)
    values (gen_random_uuid(), 'daily', ${clock.now()}, 'Ann', 'a.zip', 1, 1, 'complete')`
  const answer = await fetch(`${closed.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const measured = new Set((await answer.text()).match(/^\w+/gm))
  expect([...shown].filter((name) => !measured.has(name))).toEqual([])
})

test('API answers carry an own or trusted proxy’s id', async () => {
  const given = { 'x-request-id': 'from-the-proxy-1' }
  const idOf = async (url: string) => (await fetch(url, { headers: given })).headers.get('x-request-id')
  expect(await idOf(`${closed.url}/api/teachings`)).toBe('from-the-proxy-1')
  expect(await idOf(`${closed.url}/api/nothing`)).toBe('from-the-proxy-1')
  expect(await idOf(`${app.url}/api/elders`)).toMatch(/^[0-9a-f-]{36}$/)
})
