import { beforeEach, describe, expect, test } from 'vitest'
import { noticeLimits } from '@fellowship/schema/notices/notices.limits'
import { notices, type NewNotice } from '@fellowship/schema/notices/notices.contract'
import { noticeTexts as texts } from '@fellowship/schema/notices/notices.texts'
import { call } from '@fellowship/sync/call/call'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()

beforeEach(async () => {
  await sql`delete from notices`
  await sql`delete from audit_log`
})

const noTea: NewNotice = { text: 'No tea this Sunday.', from: '2026-03-08', until: '2026-03-08' }
const add = (body: object = {}, client: TestClient = admin) =>
  call(notices.create, { body: { ...noTea, ...body } }, client)
const edit = (id: number, body: object, client: TestClient = admin) =>
  call(notices.update, { params: { id }, body }, client)
const remove = (id: number, baseRev?: number, client: TestClient = admin) =>
  call(notices.remove, { params: { id }, query: { ...(baseRev !== undefined && { baseRev }) } }, client)
const list = () => call(notices.list, {}, visitor)

describe('refused', () => {
  test.each([
    ['visitors', 401, visitor],
    ['members', 403, member],
  ])('refuses changes of %s with %i', async (_, status, client) => {
    const { id } = await add()
    const attempts = [add({}, client), edit(id, { text: 'B' }, client), remove(id, undefined, client)]
    for (const error of await Promise.all(attempts.map(refusal))) expect(error.status).toBe(status)
    expect(await list()).toMatchObject([noTea])
  })

  test('refuses a last day before the first', async () => {
    const { id } = await add()
    for (const error of await Promise.all(
      [add({ until: '2026-03-07' }), edit(id, { from: '2026-03-09' })].map(refusal),
    ))
      expect(error).toMatchObject({
        status: 400,
        message: expect.stringContaining(texts.untilFirst) as string,
      })
  })

  test('refuses one notice more than there may be', async () => {
    await sql`insert into notices (text, "from", until)
      select 'N', '2026-03-01', '2026-03-01' from generate_series(1, ${noticeLimits.all})`
    expect(await refusal(add())).toMatchObject({ status: 400 })
  })

  test('refuses what was made for an earlier revision', async () => {
    const { id, rev } = await add()
    const current = await edit(id, { text: 'Tea as always.' })
    for (const error of await Promise.all(
      [edit(id, { text: 'B', baseRev: rev }), remove(id, rev)].map(refusal),
    ))
      expect(error).toMatchObject({ status: 409, body: { current } })
    await remove(id, current.rev)
    expect(await refusal(remove(id))).toMatchObject({ status: 404 })
  })
})

test('adds, changes and deletes with a line of the audit log each', async () => {
  const made = await add()
  expect(made).toMatchObject(noTea)
  const changed = await edit(made.id, { until: '2026-03-15' })
  expect(await list()).toEqual([{ ...made, rev: changed.rev, until: '2026-03-15' }])
  await edit(made.id, {})
  await remove(made.id)
  expect(await list()).toEqual([])
  expect(await sql`select action, subject from audit_log where action like 'notice.%' order by id`).toEqual(
    ['created', 'updated', 'deleted'].map((what) => ({ action: `notice.${what}`, subject: noTea.text })),
  )
})
