import { noVisitDetails } from '@fellowship/schema/visit/visit.texts'
import { visit } from '@fellowship/schema/visit/visit.contract'
import { call } from '@fellowship/sync/call/call'
import { beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()

beforeEach(async () => {
  await sql`delete from visit_details`
  await sql`delete from audit_log`
})

const details = () => call(visit.details, {}, visitor)
const update = (body: object, client: TestClient = admin) => call(visit.update, { body }, client)
const revision = async () => {
  const [row] = await sql<{ rev: number }[]>`select rev::int from sync_clock`
  return row!.rev
}

describe('refused', () => {
  test.each([
    ['nobody', 401, visitor],
    ['a user', 403, member],
  ])('refuses %s with %i', async (_, status, client) => {
    expect(await refusal(update({ parking: 'Behind the hall.' }, client))).toMatchObject({ status })
    expect(await details()).toEqual(noVisitDetails)
  })
})

test('changes only the given texts, in a new revision', async () => {
  await update({ expect: 'Songs,\r\nprayer. ', phone: '06 322 1234' })
  const before = await revision()
  expect(await update({ phone: '' })).toEqual({ ...noVisitDetails, expect: 'Songs,\nprayer.' })
  expect(await details()).toEqual({ ...noVisitDetails, expect: 'Songs,\nprayer.' })
  expect(await revision()).toBe(before + 1)
  expect(
    await sql`select action, subject, details from audit_log where action like 'visit.%' order by id`,
  ).toEqual([
    { action: 'visit.updated', subject: 'Plan your visit', details: { fields: ['expect', 'phone'] } },
    { action: 'visit.updated', subject: 'Plan your visit', details: { fields: ['phone'] } },
  ])
})

test('a request without changes writes nothing', async () => {
  const before = await revision()
  expect(await update({})).toEqual(noVisitDetails)
  expect(await revision()).toBe(before)
})
