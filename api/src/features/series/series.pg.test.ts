import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { series } from '@fellowship/schema/series/series.contract'
import { seriesLimits, seriesRate } from '@fellowship/schema/series/series.limits'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import type { NewSeries, Series } from '@fellowship/schema/series/series.schema'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { placesSchema } from '@fellowship/schema/sync/sync.limits'
import type { SnapshotPage } from '@fellowship/schema/sync/sync.schema'
import { call } from '@fellowship/sync/call/call'
import { digestOf } from '@fellowship/sync/protocol/digest'
import { withUids } from '@fellowship/sync/protocol/columns'
import { letDaysPass } from '../../testing/test-db.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { purgeSeriesBin } from './series.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()

beforeEach(async () => {
  // The limit of earlier changes does not apply to this test.
  app.clock.advance(61_000)
  await sql`delete from series`
  await sql`delete from audit_log`
})

type Input = Partial<NewSeries>
const begin = (body: Input = {}, client: TestClient = member, key?: string) =>
  call(
    series.create,
    { body: { title: 'Hope', ...body } as NewSeries, ...(key && { headers: { 'idempotency-key': key } }) },
    client,
  )
const edit = (uid: string, body: object, client: TestClient = member) =>
  call(series.update, { params: { uid }, body }, client)
const remove = (uid: string, baseRev?: number, client: TestClient = member) =>
  call(series.remove, { params: { uid }, query: { ...(baseRev !== undefined && { baseRev }) } }, client)
const list = () => call(series.list, {}, visitor)
const restore = (uid: string, client: TestClient = admin) => call(series.restore, { params: { uid } }, client)
const audit = () =>
  sql<{ action: string; subject: string; details: object }[]>`
    select action, subject, details from audit_log where action like 'series.%' order by id`
const uids = (count: number) => Array.from({ length: count }, () => randomUUID())

async function teaching(title: string): Promise<string> {
  const [row] = await sql<{ uid: string }[]>`
    insert into teachings (title, speaker, date, year) values (${title}, 'Ana', '2026-11-22', 2026) returning uid`
  return row!.uid
}

describe('refused', () => {
  test('refuses visitors with 401, members’ restores with 403', async () => {
    const { uid } = await begin()
    const attempts = [begin({}, visitor), edit(uid, { title: 'B' }, visitor), remove(uid, undefined, visitor)]
    for (const error of await Promise.all(attempts.map(refusal))) expect(error.status).toBe(401)
    await remove(uid)
    const forbidden = [restore(uid, member), call(series.bin, {}, member)]
    for (const error of await Promise.all(forbidden.map(refusal))) expect(error.status).toBe(403)
    expect(await list()).toEqual([])
  })

  test('refuses a change without CSRF token with 403', async () => {
    const { uid } = await begin()
    for (const [method, path] of [
      ['POST', '/api/series'],
      ['PUT', `/api/series/${uid}`],
      ['DELETE', `/api/series/${uid}`],
    ] as const) {
      const answer = await member.fetch(member.base + path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method !== 'DELETE' && { body: '{"title":"B"}' }),
      })
      expect([method, answer.status]).toEqual([method, 403])
    }
    expect((await list()).map(({ title }) => title)).toEqual(['Hope'])
  })

  test('an unknown or deleted series returns 404', async () => {
    const { uid } = await begin()
    await remove(uid)
    for (const gone of [uid, randomUUID()]) {
      expect(await refusal(edit(gone, { title: 'B' }))).toMatchObject({
        status: 404,
        sentence: 'This series was deleted.',
      })
      expect(await refusal(remove(gone))).toMatchObject({
        status: 404,
        sentence: 'This series was already deleted.',
      })
    }
    expect(await refusal(begin({ uid }))).toMatchObject({ status: 404, sentence: 'This series was deleted.' })
    expect((await refusal(edit('no-uid', { title: 'B' }))).status).toBe(400)
  })

  test('refuses changes to an older revision with the current row', async () => {
    const { uid, rev } = await begin()
    const now = await edit(uid, { title: 'Hope, again', baseRev: rev })
    const attempts = [edit(uid, { title: 'Mine', baseRev: rev }), remove(uid, rev), begin({ uid })]
    for (const error of await Promise.all(attempts.map(refusal))) {
      expect(error).toMatchObject({ status: 409, code: 'revision_conflict' })
      expect(error.body['current']).toEqual(now)
    }
    expect(await list()).toEqual([now])
  })

  test('limits the number of series, including the bin', async () => {
    await sql`insert into series (slug, title) select 's-' || n, 'S' from generate_series(1, ${seriesLimits.all}) n`
    await sql`update series set deleted_at = now() where slug = 's-1'`
    expect(await refusal(begin())).toMatchObject({
      status: 400,
      sentence: expect.stringContaining('2000 series already') as string,
    })
    expect(await sql`select 1 from series where title = 'Hope'`).toEqual([])
  })

  test('limits the words of all series, including the bin', async () => {
    const { uid } = await begin()
    const text = 'ā'.repeat(seriesLimits.description)
    await sql`insert into series (slug, title, description, deleted_at)
      select 's-' || n, 'S', ${text}, case when n = 1 then now() end
      from generate_series(1, ${Math.floor(seriesLimits.allWords / (2 * seriesLimits.description + 1))}) n`
    const full = { status: 400, sentence: seriesTexts.wordsFull }
    expect(await refusal(begin({ description: text }))).toMatchObject(full)
    expect(await refusal(edit(uid, { description: text }))).toMatchObject(full)
    await edit(uid, { description: '' })
  })

  test('limits the teachings of all series, including the bin', async () => {
    const { uid } = await begin({ teachings: uids(2) })
    const full = Math.floor(seriesLimits.allTeachings / seriesLimits.teachings)
    await sql`insert into series (slug, title, teachings, deleted_at)
      select 's-' || n, 'S', array(select gen_random_uuid() from generate_series(1, ${seriesLimits.teachings})),
        case when n = 1 then now() end
      from generate_series(1, ${full}) n`
    const sentence = expect.stringMatching(
      /^All series together, with those in the bin, hold 20000/,
    ) as string
    for (const more of [() => begin({ teachings: uids(1) }), () => edit(uid, { teachings: uids(3) })])
      expect(await refusal(more())).toMatchObject({ status: 400, sentence })
    // Edits that add none are still allowed.
    expect(await edit(uid, { title: 'Hope still', teachings: uids(2) })).toMatchObject({
      title: 'Hope still',
    })
    expect(await begin({ title: 'Empty' })).toMatchObject({ teachings: [] })
  })

  test('limits one person’s changes per minute', async () => {
    const { uid } = await begin()
    app.clock.advance(61_000)
    for (let count = 0; count < seriesRate.attempts; count += 1) await edit(uid, { title: `Hope ${count}` })
    const attempts = [edit(uid, { title: 'B' }), begin({ title: 'B' }), remove(uid)]
    for (const error of await Promise.all(attempts.map(refusal))) expect(error.status).toBe(429)
    expect((await list()).map(({ title }) => title)).toEqual([`Hope ${seriesRate.attempts - 1}`])
    expect(await edit(uid, { title: 'Mine' }, admin)).toMatchObject({ title: 'Mine' })
    app.clock.advance(61_000)
  })

  test('another request with a used idempotency key returns 422', async () => {
    const key = randomUUID()
    await begin({}, member, key)
    expect(await refusal(begin({ title: 'Faith' }, member, key))).toMatchObject({ status: 422 })
  })
})

test('a repeated request creates one series', async () => {
  const key = randomUUID()
  const uid = randomUUID()
  const teachings = uids(3)
  const first = await begin({ uid, teachings, description: 'Three.\r\nIn order.' }, member, key)
  expect(first).toMatchObject({ uid, slug: 'hope', teachings, description: 'Three.\nIn order.' })
  expect(await begin({ uid, teachings, description: 'Three.\r\nIn order.' }, member, key)).toEqual(first)
  expect(await list()).toEqual([first])
})

test('an edit of one field leaves order and others', async () => {
  const teachings = uids(500)
  const { uid } = await begin({ teachings, description: 'Long.' })
  expect(await edit(uid, { title: 'Renamed' })).toMatchObject({ teachings, description: 'Long.' })
  const turned = teachings.toReversed()
  expect(await edit(uid, { teachings: turned })).toMatchObject({ title: 'Renamed', teachings: turned })
})

test('a slug survives renaming and deletion; reuse adds a number', async () => {
  const first = await begin()
  await edit(first.uid, { title: 'Faith' })
  expect((await begin()).slug).toBe('hope-2')
  await remove(first.uid)
  expect((await begin()).slug).toBe('hope-3')
  expect(await restore(first.uid)).toMatchObject({ slug: 'hope', title: 'Faith' })
})

test('concurrent series of one title get distinct slugs', async () => {
  const made = await Promise.all(Array.from({ length: 12 }, () => begin()))
  expect(new Set(made.map(({ slug }) => slug)).size).toBe(12)
})

test('audits actor and action of each change', async () => {
  const { uid } = await begin({ teachings: uids(2) })
  await edit(uid, { title: 'Faith', teachings: [] })
  await remove(uid)
  await restore(uid)
  expect(await audit()).toEqual([
    { action: 'series.created', subject: 'Hope', details: { uid, teachings: 2 } },
    { action: 'series.edited', subject: 'Faith', details: { uid, changed: ['title', 'teachings'] } },
    { action: 'series.deleted', subject: 'Faith', details: { uid, teachings: 0 } },
    { action: 'series.restored', subject: 'Faith', details: { uid } },
  ])
})

test('a series lists a deleted teaching, for its restore', async () => {
  const [hope, faith] = [await teaching('Hope'), await teaching('Faith')]
  const { uid, rev } = await begin({ teachings: [hope, faith] })
  await sql`update teachings set deleted_at = now() where uid = ${hope}`
  await sql`delete from teachings where uid = ${faith}`
  expect(await list()).toMatchObject([{ uid, rev, teachings: [hope, faith] }])
})

describe('the bin', () => {
  test('the bin lists deleted series with their deadline', async () => {
    const { uid } = await begin()
    expect(await refusal(restore(uid))).toMatchObject({
      status: 404,
      sentence: 'This series is not in the bin any more.',
    })
    await remove(uid)
    const [binned] = await call(series.bin, {}, admin)
    expect(binned).toMatchObject({ uid, title: 'Hope' })
    expect(Date.parse(binned!.goneAt) - Date.parse(binned!.deletedAt)).toBe(30 * 24 * 3_600_000)
    await restore(uid)
    expect(await call(series.bin, {}, admin)).toEqual([])
  })

  test('the purge removes only series older than 30 days', async () => {
    const [old, fresh, live] = [await begin(), await begin(), await begin()]
    await remove(old.uid)
    await letDaysPass(sql, 31)
    await remove(fresh.uid)
    await purgeSeriesBin(app.context)
    const left = await sql<{ uid: string }[]>`select uid from series`
    expect(left.map(({ uid }) => uid).toSorted()).toEqual([fresh.uid, live.uid].toSorted())
  })
})

describe('devices', () => {
  const pull = (since?: string) => call(sync.pull, { query: { ...(since && { since }) } }, visitor)

  test('a snapshot has places for new clients, uids for old', async () => {
    const first = await teaching('First')
    const second = await teaching('Second')
    const [gone] = uids(1)
    await begin({ teachings: [second, gone!, first] })
    const tables = async (schema?: number) => {
      const page = await call(sync.pull, { query: { ...(schema !== undefined && { schema }) } }, visitor)
      return (page as SnapshotPage).tables
    }
    for (const schema of [undefined, 1])
      expect((await tables(schema))['series']!['teachings'], String(schema)).toEqual([[second, gone, first]])
    const packed = await tables(placesSchema)
    expect(packed['series']!['teachings']).toEqual([[expect.any(Number), gone, expect.any(Number)]])
    expect(withUids(packed)['series']!['teachings']).toEqual([[second, gone, first]])
    await sql`delete from teachings`
  })

  test('series arrive as changes and in a snapshot', async () => {
    const { next } = await pull()
    const made = await begin({ teachings: uids(2) })
    const gone = await begin({ title: 'Gone' })
    await remove(gone.uid)
    const page = await pull(next)
    expect(page).toMatchObject({
      mode: 'delta',
      changes: [
        { kind: 'series', uid: made.uid, op: 'put', row: made },
        { kind: 'series', uid: gone.uid, op: 'del' },
      ],
    })
    const snapshot = await pull()
    const { uid, rev, slug, title, description, teachings, imageUrl } = made
    expect(snapshot.mode === 'snapshot' && snapshot.tables['series']).toEqual({
      uid: [uid],
      rev: [rev],
      slug: [slug],
      title: [title],
      description: [description],
      teachings: [teachings],
      imageUrl: [imageUrl],
    })
  })

  test('series leave the earlier release’s digest unchanged', async () => {
    const known = await pull()
    const made: Series = await begin()
    const page = await pull(known.next)
    expect(page.digest).toEqual(known.digest)
    expect(page.digests).toMatchObject({
      series: digestOf([{ kind: 'series', uid: made.uid, rev: made.rev }]),
    })
    expect((await pull()).digests).toEqual(page.digests)
  })
})
