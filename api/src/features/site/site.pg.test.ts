import { addressLine, church } from '@fellowship/schema/church'
import { site, type SiteChanges } from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { sync } from '@fellowship/schema/sync/sync.contract'
import type { SyncPage } from '@fellowship/schema/sync/sync.schema'
import { call } from '@fellowship/sync/call/call'
import { beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { refreshSite, siteDefaults } from './site.ts'

const app = await testApp({ CONTACT_EMAIL: 'office@example.org' })
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()
const fresh = { ...siteDefaults(), contactEmail: 'office@example.org', links: [], rev: 0 }

beforeEach(async () => {
  await sql`delete from visit_details`
  await sql`delete from audit_log`
})

const read = () => call(site.read, {}, visitor)
const update = (body: SiteChanges & { baseRev?: number }, client: TestClient = admin) =>
  call(site.update, { body }, client)
const pull = (since?: string): Promise<SyncPage> =>
  call(sync.pull, { query: { ...(since && { since }), schema: 1 } }, visitor)

describe('refused', () => {
  test.each([
    ['nobody', 401, visitor],
    ['a user', 403, member],
  ])('refuses %s with %i', async (_, status, client) => {
    expect(await refusal(update({ parking: 'Behind the hall.' }, client))).toMatchObject({ status })
    expect(await read()).toEqual(fresh)
  })

  test('refuses a change that was made from an earlier state', async () => {
    const { rev } = await update({ name: 'Grace Church' })
    const body = { name: 'Hope Church', baseRev: rev - 1 }
    expect(await refusal(update(body))).toMatchObject({ status: 409, body: { error: siteTexts.changed } })
    expect(await read()).toMatchObject({ name: 'Grace Church', rev })
  })
})

test('changes only the given fields, in a new revision', async () => {
  await update({ expect: 'Songs,\r\nprayer. ', phone: '06 322 1234' })
  const before = await read()
  const after = await update({ phone: '', timeZone: 'Asia/Kathmandu', contactEmail: 'us@grace.example' })
  const changed = { expect: 'Songs,\nprayer.', timeZone: 'Asia/Kathmandu', contactEmail: 'us@grace.example' }
  expect(after).toEqual({ ...fresh, ...changed, rev: before.rev + 1 })
  expect(await read()).toEqual(after)
  expect(
    await sql`select action, subject, details from audit_log where action like 'site.%' order by id`,
  ).toEqual([
    { action: 'site.updated', subject: fresh.name, details: { fields: ['phone', 'expect'] } },
    {
      action: 'site.updated',
      subject: fresh.name,
      details: { fields: ['timeZone', 'contactEmail', 'phone'] },
    },
  ])
})

test('a request without changes writes nothing', async () => {
  const before = await read()
  expect(await update({})).toEqual(before)
})

test('a page of changes carries the site once', async () => {
  const whole = await pull()
  expect(whole.site).toEqual(await read())
  await update({ name: 'Grace Church' })
  const page = await pull(whole.next)
  expect(page).toMatchObject({ mode: 'delta', changes: [], site: { name: 'Grace Church' } })
  expect((await pull(page.next)).site).toBeUndefined()
})

test('feeds, pages and addresses follow a change at once', async () => {
  const address = { ...siteDefaults().address, street: '1 High Street', locality: 'Apia' }
  await update({ name: 'Grace & Truth', address, services: [], map: null })
  expect([church().name, addressLine(church().address)]).toEqual([
    'Grace & Truth',
    '1 High Street, Apia 4818, New Zealand',
  ])
  const feed = await (await fetch(`${app.url}/feed.xml`)).text()
  expect(feed).toContain('<title>Grace &amp; Truth: Teaching</title>')
  expect(feed).toContain('in Apia, New Zealand')
  expect(feed).not.toContain(siteDefaults().name)
})

test('an older answer that arrives late changes nothing', async () => {
  await update({ name: 'First' })
  let arrive!: () => void
  const late = new Promise<void>((resolve) => (arrive = resolve))
  let isFirst = true
  const held = new Proxy(sql, {
    apply(_, self, query: Parameters<typeof sql>) {
      const answer = Reflect.apply(sql, self, query) as Promise<unknown>
      if (!isFirst) return answer
      isFirst = false
      return answer.then((rows) => late.then(() => rows))
    },
  })
  const context = { ...app.context, sql: held }
  const older = refreshSite(context)
  await read()
  await update({ name: 'Second' })
  await refreshSite(context)
  arrive()
  expect((await older).name).toBe('First')
  expect(church().name).toBe('Second')
})
