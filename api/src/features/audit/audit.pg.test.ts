import { audit } from '@fellowship/schema/audit/audit.contract'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { call } from '@fellowship/sync/call/call'
import { beforeAll, describe, expect, test } from 'vitest'
import { testApp } from '../../testing/test-app.ts'
import { archiveAudit } from './audit.ts'

const app = await testApp({ REGISTRATION: 'open' })
const admin = await app.signedIn('admin')
const { sql } = app.context

beforeAll(async () => {
  await sql`delete from audit_log`
  // Numbers of one, two and three digits: sorted as text, 9 would come before 10 and 100.
  for (let id = 7; id <= 112; id++) {
    await sql`insert into audit_log (id, actor, action, subject)
      values (${id}, 'Tester', 'teaching.updated', ${`Line ${id}`})`
  }
  await sql`select setval('audit_log_id_seq', 112)`
})

const page = (query: { before?: number; limit: number }) =>
  call(audit.list, { query: { area: 'teaching', ...query } }, admin)

test('lists the lines newest first across numbers of different length', async () => {
  const { lines } = await page({ limit: 50 })
  expect(lines.slice(0, 4).map(({ id }) => id)).toEqual([112, 111, 110, 109])
})

test('pages over every line exactly once', async () => {
  const seen: number[] = []
  for (let before: number | undefined; ; before = seen.at(-1)) {
    const { lines, more } = await page({ limit: 25, ...(before !== undefined && { before }) })
    seen.push(...lines.map(({ id }) => id))
    if (!more) break
  }
  expect(seen).toEqual(Array.from({ length: 106 }, (_, at) => 112 - at))
})

test('counts sign-ins and failed ones, a line an hour', async () => {
  const email = 'ruth@example.org'
  const person = app.client()
  const body = { email, password: 'Correct-horse-9', name: 'Ruth' }
  await call(auth.register, { body }, person)
  const signIn = (password: string, address = email) =>
    call(auth.login, { body: { email: address, password } }, app.client()).catch(() => undefined)
  for (let count = 0; count < 3; count += 1) {
    await signIn(body.password)
    await signIn('Wrong-horse-9')
    await signIn('Wrong-horse-9', `nobody-${count}@example.org`)
  }
  app.clock.advance(61 * 60_000)
  await signIn('Wrong-horse-9')
  await call(copies.retry, {}, admin)

  const { lines } = await call(audit.list, { query: { limit: 6 } }, admin)
  const ruth = 'Ruth <ruth@example.org>'
  expect(
    lines.map(({ actor, action, subject, details }) => [actor, action, subject, details['times']]),
  ).toEqual([
    ['A admin', 'copies.retried', 'small copies', undefined],
    ['somebody', 'sessions.refused', ruth, 1],
    ['somebody', 'sessions.refused', 'an address without an account', 3],
    ['somebody', 'sessions.refused', ruth, 3],
    ['Ruth', 'sessions.started', ruth, 3],
    ['Ruth', 'user.registered', ruth, undefined],
  ])
})

describe('the archive', () => {
  const budget = { days: 730, bytes: 1e9, archiveBytes: 1e9 }
  const lines = () => sql<{ id: number }[]>`select id from audit_log order by id`
  const archived = () => sql<{ firstId: number; lastId: number; count: number }[]>`
    select first_id, last_id, jsonb_array_length(lines) as count from audit_archive order by first_id`

  test('keeps a small log of the last two years', async () => {
    const before = await lines()
    await archiveAudit(app.context, budget)
    expect([await lines(), await archived()]).toEqual([before, []])
  })

  test('takes old lines, then the oldest of too many', async () => {
    await sql`update audit_log set at = '2020-01-01' where id <= 20`
    await archiveAudit(app.context, budget)
    expect(await archived()).toEqual([{ firstId: 7, lastId: 20, count: 14 }])
    expect((await lines())[0]!.id).toBe(21)

    await sql`insert into audit_log (actor, action, subject)
      select 'Tester', 'teaching.edited', repeat('x', 200) from generate_series(1, 3000)`
    await archiveAudit(app.context, { ...budget, bytes: 500_000 })
    const [[row], portions] = [
      await sql`select sum(octet_length(to_jsonb(l)::text))::int as bytes from audit_log l`,
      await archived(),
    ]
    expect(row!['bytes']).toBeLessThan(500_000)
    expect(portions.length).toBeGreaterThan(1)
    expect((await lines())[0]!.id).toBe(portions.at(-1)!.lastId + 1)
  })

  test('loses its oldest lines beyond its size', async () => {
    const newest = (await archived()).at(-1)!
    await archiveAudit(app.context, { ...budget, archiveBytes: 300_000 })
    const left = await archived()
    expect(left.at(-1)).toEqual(newest)
    expect(left[0]!.firstId).toBeGreaterThan(7)
  })
})
