import ICAL from 'ical.js'
import { beforeEach, describe, expect, test } from 'vitest'
import { eventLimits } from '@fellowship/schema/events/events.limits'
import { events } from '@fellowship/schema/events/events.contract'
import type { EventRow, NewEvent } from '@fellowship/schema/events/events.schema'
import { eventTexts as texts } from '@fellowship/schema/events/events.texts'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { call } from '@fellowship/sync/call/call'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()

beforeEach(async () => {
  await sql`delete from events`
  await sql`delete from audit_log`
})

const tea: NewEvent = {
  title: 'Tea',
  place: 'Hall',
  description: 'Bring a plate.',
  starts: '2026-03-01T10:00',
  ends: '2026-03-01T11:00',
  repeats: 'FREQ=WEEKLY;BYDAY=SU',
  cancelled: ['2026-03-15'],
}
const add = (body: object = {}, client: TestClient = admin) =>
  call(events.create, { body: { ...tea, ...body } as NewEvent }, client)
const edit = (id: number, body: object, client: TestClient = admin) =>
  call(events.update, { params: { id }, body }, client)
const remove = (id: number, baseRev?: number, client: TestClient = admin) =>
  call(events.remove, { params: { id }, query: { ...(baseRev !== undefined && { baseRev }) } }, client)
const list = () => call(events.list, {}, visitor)
const ics = (path: string, headers: Record<string, string> = {}) => fetch(app.url + path, { headers })
const read = async (path: string) =>
  new ICAL.Component(ICAL.parse(await (await ics(path)).text()) as unknown[])
    .getAllSubcomponents('vevent')
    .map((event) => event.getFirstPropertyValue('summary'))

describe('refused', () => {
  test.each([
    ['visitors', 401, visitor],
    ['members', 403, member],
  ])('refuses changes of %s with %i', async (_, status, client) => {
    const { id } = await add()
    const before = await list()
    const attempts = [add({}, client), edit(id, { title: 'B' }, client), remove(id, undefined, client)]
    for (const error of await Promise.all(attempts.map(refusal))) expect(error.status).toBe(status)
    expect(await list()).toEqual(before)
  })

  test.each([
    ['an end before the start', { ends: '2026-03-01T09:59' }, texts.endsFirst],
    ['an end in another month', { ends: '2026-04-20T10:00' }, texts.tooLong],
    ['a rule without the start', { repeats: 'FREQ=WEEKLY;BYDAY=MO' }, texts.notFirst],
    ['a rule that ended before', { repeats: 'FREQ=DAILY;UNTIL=20260228' }, texts.notFirst],
    ['a rule by hours', { repeats: 'FREQ=HOURLY' }, texts.notRule],
  ])('refuses %s, new or changed', async (_, body, sentence) => {
    const { id } = await add()
    for (const error of await Promise.all([add(body), edit(id, body)].map(refusal))) {
      expect([error.status, error.message]).toEqual([400, expect.stringContaining(sentence)])
    }
    expect(await list()).toMatchObject([tea])
  })

  test('refuses one event more than there may be', async () => {
    await sql`insert into events (title, starts, ends)
      select 'E', '2026-03-01T10:00', '2026-03-01T11:00' from generate_series(1, ${eventLimits.all - 1})`
    await add()
    expect(await refusal(add())).toMatchObject({ status: 400 })
    expect(await list()).toHaveLength(eventLimits.all)
  })

  test('refuses what was made for an earlier revision', async () => {
    const { id, rev } = await add()
    const current = await edit(id, { place: 'Garden' })
    for (const error of await Promise.all(
      [edit(id, { title: 'B', baseRev: rev }), remove(id, rev)].map(refusal),
    ))
      expect(error).toMatchObject({ status: 409, body: { current } })
    expect(await list()).toEqual([current])
    await remove(id, current.rev)
    for (const error of await Promise.all([edit(id, { title: 'B' }), remove(id)].map(refusal)))
      expect(error).toMatchObject({ status: 404 })
  })
})

test('adds, changes and deletes with a line of the audit log each', async () => {
  const made = await add()
  expect(made).toEqual({ ...tea, id: expect.any(Number) as number, uid: made.uid, rev: made.rev })
  const changed = await edit(made.id, { title: 'Tea and cake', cancelled: [] })
  expect(changed).toEqual({ ...made, rev: changed.rev, title: 'Tea and cake', cancelled: [] })
  expect((await edit(made.id, { title: 'Tea and cake' })).rev).toBe(changed.rev)
  await remove(made.id)
  expect(await list()).toEqual([])
  expect(
    await sql`select action, subject, details from audit_log where action like 'event.%' order by id`,
  ).toEqual([
    { action: 'event.created', subject: 'Tea', details: { id: made.id } },
    {
      action: 'event.updated',
      subject: 'Tea and cake',
      details: { id: made.id, fields: ['title', 'cancelled'] },
    },
    { action: 'event.deleted', subject: 'Tea and cake', details: { id: made.id } },
  ])
})

test('a deleted event is back with its dates, for calendars as changed', async () => {
  const { id } = await add()
  await remove(id)
  expect(await list()).toEqual([])
  expect([(await ics(`/events/${id}.ics`)).status, await read('/events.ics')]).toEqual([404, []])
  expect(await call(events.bin, {}, admin)).toMatchObject([{ id, ...tea }])
  expect((await refusal(call(events.restore, { params: { id } }, member))).status).toBe(403)
  await call(events.restore, { params: { id } }, admin)
  expect(await refusal(call(events.restore, { params: { id } }, admin))).toMatchObject({ status: 404 })
  expect(await list()).toMatchObject([{ id, ...tea }])
  expect(await (await ics(`/events/${id}.ics`)).text()).toContain('SEQUENCE:1')
})

test('needs a title and times only', async () => {
  const { title, starts, ends } = tea
  const made = await call(events.create, { body: { title, starts, ends } as NewEvent }, admin)
  expect(made).toMatchObject({ title, place: '', description: '', repeats: null, cancelled: [] })
})

test('reaches devices, and leaves them when it is deleted', async () => {
  const made = await add()
  const pull = async (since?: string) => {
    const page = await call(sync.pull, { query: { ...(since !== undefined && { since }) } }, visitor)
    return page as { next: string; changes: { kind: string; op: string; row?: EventRow }[] }
  }
  const snapshot = (await pull()) as unknown as { next: string; tables: Record<string, { title: string[] }> }
  expect(snapshot.tables['event']).toMatchObject({ title: ['Tea'], starts: [made.starts] })
  const changed = await edit(made.id, { title: 'Cake' })
  const delta = await pull(snapshot.next)
  expect(delta.changes).toMatchObject([{ kind: 'event', op: 'put', row: changed }])
  await remove(made.id)
  expect((await pull(delta.next)).changes).toMatchObject([{ kind: 'event', op: 'del' }])
})

describe('the calendar', () => {
  test('holds all events, or one by its number', async () => {
    const { id } = await add()
    await add({ title: 'Prayer', starts: '2026-03-02T19:00', ends: '2026-03-02T20:00', repeats: null })
    expect(await read('/events.ics')).toEqual(['Tea', 'Prayer'])
    expect(await read(`/events/${id}.ics`)).toEqual(['Tea'])
    const response = await ics('/events.ics')
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    const etag = response.headers.get('etag')!
    expect((await ics('/events.ics', { 'if-none-match': etag })).status).toBe(304)
    await edit(id, { title: 'Cake' })
    expect((await ics('/events.ics', { 'if-none-match': etag })).status).toBe(200)
    for (const path of [`/events/${id + 5}.ics`, '/events/9999999999.ics'])
      expect((await ics(path)).status).toBe(404)
  })

  test('counts the changes of an event', async () => {
    const { id, uid } = await add()
    await edit(id, { title: 'Cake' })
    await edit(id, { title: 'Cake' })
    const text = await (await ics(`/events/${id}.ics`)).text()
    expect(text).toContain(`UID:${uid}\r\nSEQUENCE:1\r\n`)
    const at = app.clock.now().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
    expect(text).toContain(`LAST-MODIFIED:${at}Z`)
  })
})
