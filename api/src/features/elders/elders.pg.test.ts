import { beforeEach, describe, expect, test } from 'vitest'
import { elders } from '@fellowship/schema/elders/elders.contract'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { syncedWordBytes } from '@fellowship/schema/sync/sync.limits'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { call } from '@fellowship/sync/call/call'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const member = await app.signedIn()
const visitor = app.client()

beforeEach(async () => {
  await sql`delete from elders`
  await sql`delete from audit_log`
})

const bios = { role: 'Elder', shortBio: 'Short.', extendedBio: 'Longer.' }
const add = (name: string, displayOrder = 0) =>
  call(elders.create, { body: { ...bios, name, displayOrder, imageUrl: null } }, admin)
const listed = async () =>
  (await call(elders.list, {}, visitor)).map(({ name, displayOrder }) => `${displayOrder} ${name}`)
const audit = () =>
  sql<{ action: string; subject: string; actor: string; details: object }[]>`
    select action, subject, actor, details from audit_log where action like 'elder.%' order by id`

describe('refused', () => {
  test.each([
    ['nobody', 401, visitor],
    ['a user', 403, member],
  ])('refuses %s with %i', async (_, status, client) => {
    const { id } = await add('Anna')
    const before = await sql`select * from elders`
    const attempts = [
      call(elders.create, { body: { ...bios, name: 'B' } }, client),
      call(elders.update, { params: { id }, body: { name: 'B' } }, client),
      call(elders.remove, { params: { id } }, client),
      call(elders.photo, { params: { id }, files: { photo: new File(['x'], 'x.png') } }, client),
    ]
    for (const error of await Promise.all(attempts.map(refusal))) expect(error).toMatchObject({ status })
    expect(await sql`select * from elders`).toEqual(before)
    expect(await audit()).toHaveLength(1)
  })

  test('limits the words of all elders', async () => {
    const { id } = await add('Anna')
    const long = 'ā'.repeat(20_000)
    await sql`insert into elders (name, role, short_bio, extended_bio)
      select 'Ben', 'Elder', ${long}, '' from generate_series(1, ${syncedWordBytes.elders / 40_000})`
    const full = { status: 400, sentence: elderTexts.allFull }
    expect(await refusal(add('Cara'))).toMatchObject(full)
    const change = (shortBio: string) => call(elders.update, { params: { id }, body: { shortBio } }, admin)
    expect(await refusal(change(long))).toMatchObject(full)
    expect((await change('Brief.')).shortBio).toBe('Brief.')
  })

  test('refuses to move an elder beyond the highest number', async () => {
    await add('Anna', 1_000_000)
    const { id } = await add('Ben', 3)
    const sentence = /^Display order 1000000 is taken, and is the highest there is/
    const attempts = [
      () => add('Cara', 1_000_000),
      () => call(elders.update, { params: { id }, body: { displayOrder: 1_000_000 } }, admin),
    ]
    for (const attempt of attempts)
      expect(await refusal(attempt())).toMatchObject({
        status: 400,
        sentence: expect.stringMatching(sentence) as string,
      })
    expect(await listed()).toEqual(['3 Ben', '1000000 Anna'])
  })

  test('refuses a photo that is not stored', async () => {
    const { id } = await add('Anna')
    const imageUrl = `/images/${'ab'.repeat(32)}-640.webp`
    const attempts = [
      call(elders.create, { body: { ...bios, name: 'Ben', imageUrl } }, admin),
      call(elders.update, { params: { id }, body: { imageUrl } }, admin),
    ]
    for (const error of await Promise.all(attempts.map(refusal)))
      expect([error.status, error.sentence]).toEqual([400, elderTexts.foreignImage])
    expect(await listed()).toEqual(['0 Anna'])
  })

  test('refuses a change of an elder changed since, with the present one', async () => {
    const { id, rev } = await add('Anna')
    const later = await call(elders.update, { params: { id }, body: { role: 'Pastor', baseRev: rev } }, admin)
    const late = refusal(
      call(elders.update, { params: { id }, body: { role: 'Deacon', baseRev: rev } }, admin),
    )
    const body = { error: elderTexts.changed, current: later }
    expect(await late).toMatchObject({ status: 409, code: 'revision_conflict', body })
    await call(elders.update, { params: { id }, body: { role: 'Deacon', baseRev: later.rev } }, admin)
  })

  test('an unknown elder returns 404', async () => {
    const attempts = [
      call(elders.update, { params: { id: 999_999 }, body: { name: 'B' } }, admin),
      call(elders.remove, { params: { id: 999_999 } }, admin),
    ]
    for (const error of await Promise.all(attempts.map(refusal))) {
      expect(error).toMatchObject({
        status: 404,
        sentence: 'This elder was already deleted.',
      })
    }
    expect(await audit()).toEqual([])
  })
})

test('returns and syncs a new elder', async () => {
  const elder = await add('Anna Example', 3)
  expect(elder).toMatchObject({ ...bios, name: 'Anna Example', displayOrder: 3, imageUrl: null })
  expect(await call(elders.list, {}, visitor)).toEqual([elder])
  const page = await call(sync.pull, {}, visitor)
  expect(page.mode === 'snapshot' && page.tables['elder']).toMatchObject({
    uid: [elder.uid],
    rev: [elder.rev],
  })
})

describe('display orders', () => {
  beforeEach(async () => {
    await add('Anna', 1)
    await add('Ben', 2)
    await add('Cara', 3)
  })
  const byName = async (name: string) =>
    (await call(elders.list, {}, visitor)).find((elder: Elder) => elder.name === name)!
  const move = async (name: string, displayOrder: number) =>
    call(elders.update, { params: { id: (await byName(name)).id }, body: { displayOrder } }, admin)

  test('inserting at a taken order moves the others down', async () => {
    await add('Dan', 2)
    expect(await listed()).toEqual(['1 Anna', '2 Dan', '3 Ben', '4 Cara'])
  })

  test('moving an elder shifts the others', async () => {
    expect(await move('Cara', 1)).toMatchObject({ displayOrder: 1 })
    expect(await listed()).toEqual(['1 Cara', '2 Anna', '3 Ben'])
    await move('Cara', 3)
    expect(await listed()).toEqual(['1 Anna', '2 Ben', '3 Cara'])
  })

  test('deleting an elder moves the later ones up', async () => {
    await call(elders.remove, { params: { id: (await byName('Anna')).id } }, admin)
    expect(await listed()).toEqual(['1 Ben', '2 Cara'])
  })

  test('ten concurrent inserts get ten distinct orders', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, at) => add(`Z${at}`, 1)))
    const rows = await call(elders.list, {}, visitor)
    expect(rows.map(({ displayOrder }) => displayOrder)).toEqual(
      Array.from({ length: 13 }, (_, at) => at + 1),
    )
    expect(rows.slice(10).map(({ name }) => name)).toEqual(['Anna', 'Ben', 'Cara'])
  })
})

test('an update changes only the given fields', async () => {
  const before = await add('Anna', 4)
  const update = (body: Partial<Elder>) =>
    call(elders.update, { params: { id: before.id }, body: body as { name: string } }, admin)
  const after = await update({ shortBio: 'Another.' })
  expect(after).toEqual({ ...before, shortBio: 'Another.', rev: after.rev })
  expect(after.rev).toBeGreaterThan(before.rev)
  expect(await update({ shortBio: 'Another.' })).toEqual(after)
  expect(await update({})).toEqual(after)
})

test('audits actor and action without the contents', async () => {
  const { id } = await add('Anna')
  await call(elders.update, { params: { id }, body: { name: 'Anne', shortBio: 'Something private' } }, admin)
  await call(elders.update, { params: { id }, body: { name: 'Anne' } }, admin)
  await call(elders.remove, { params: { id } }, admin)
  const lines = await audit()
  expect(lines).toEqual([
    { action: 'elder.created', subject: 'Anna', actor: 'A admin', details: { id } },
    {
      action: 'elder.updated',
      subject: 'Anne',
      actor: 'A admin',
      details: { id, fields: ['name', 'shortBio'] },
    },
    { action: 'elder.deleted', subject: 'Anne', actor: 'A admin', details: { id } },
  ])
  expect(JSON.stringify(lines)).not.toContain('private')
})
