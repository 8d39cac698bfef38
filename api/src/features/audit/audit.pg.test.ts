import { audit } from '@fellowship/schema/audit/audit.contract'
import { call } from '@fellowship/sync/call/call'
import { beforeAll, expect, test } from 'vitest'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
const { sql } = app.context

beforeAll(async () => {
  await sql`delete from audit_log`
  // Numbers of one, two and three digits: sorted as text, 9 would come before 10 and 100.
  for (let id = 7; id <= 112; id++) {
    await sql`insert into audit_log (id, actor, action, subject)
      values (${id}, 'Tester', 'teaching.updated', ${`Line ${id}`})`
  }
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
