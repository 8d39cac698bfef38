import type { PrerenderData } from '@fellowship/schema/pages/prerender-data'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { beforeEach, expect, test } from 'vitest'
import { testApp } from '../../testing/test-app.ts'
import { liveLibrary } from '../feed/feed.ts'
import { liveTeachings } from '../teachings/teachings.ts'
import { prerenderedPages } from './prerendered-pages.ts'

const app = await testApp()
const { sql } = app.context

/** The pages, with the data of each rendering in order. */
function pages() {
  const rendered: { path: string; data: PrerenderData }[] = []
  const page = prerenderedPages(app.context, liveLibrary(app.context), async (path, data) => {
    rendered.push({ path, data })
    return `<h1>${path}</h1>`
  })
  return { page, rendered }
}

async function add(...rows: Partial<Teaching>[]): Promise<Teaching[]> {
  for (const {
    title = 'Hope',
    speaker = 'John Smith',
    date = '2026-11-22',
    scriptureReference = null,
  } of rows)
    await sql`insert into teachings (title, speaker, date, year, scripture_reference)
      values (${title}, ${speaker}, ${date}, 2026, ${scriptureReference})`
  return liveTeachings(sql)
}

beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from series`
  app.clock.advance(1000)
})

test('renders no page for an unknown or deleted teaching', async () => {
  const [teaching] = await add({})
  const { page, rendered } = pages()
  await sql`update teachings set deleted_at = now()`
  for (const path of [
    '/teaching/2026-11-22-hope-00000000ffff',
    teachingPath(teaching!),
    '/teaching/hope',
    '/nowhere',
  ])
    expect([path, await page(path, true)]).toEqual([path, undefined])
  expect(rendered).toEqual([])
})

test('renders a teaching’s page once per revision', async () => {
  const rows = await add(
    ...Array.from({ length: 30 }, (_, day) => ({
      title: `Study ${day}`,
      date: `2026-10-${String(day + 1).padStart(2, '0')}`,
    })),
  )
  const { page, rendered } = pages()
  const path = teachingPath(rows[10]!)
  const first = await page(path, true)
  expect(first).toMatchObject({ html: `<h1>${path}</h1>` })
  expect(rendered[0]!.data.part).toMatchObject({ path })
  const titles = rendered[0]!.data.part!.rows.map(({ title }) => title)
  expect(titles).toEqual(['Study 29', 'Study 28', 'Study 27', 'Study 20', 'Study 19', 'Study 18'])
  expect(await page(path, true)).toEqual(first)
  expect(rendered).toHaveLength(1)
  await add({ title: 'New' })
  expect((await page(path, true))!.key).not.toBe(first!.key)
  expect(rendered.map((each) => each.data.part!.rows[0]!.title)).toEqual(['Study 29', 'New'])
})

test('renders a teaching with its place in each live series', async () => {
  const rows = await add({ title: 'One' }, { title: 'Two' }, { title: 'Three' })
  const uidOf = (title: string) => rows.find((row) => row.title === title)!.uid
  const [one, two, three] = [uidOf('One'), uidOf('Two'), uidOf('Three')]
  await sql`insert into series (slug, title, teachings, deleted_at)
    values ('all', 'All', ${[three, one, two]}, null), ('gone', 'Gone', ${[one]}, now()), ('other', 'Other', ${[two]}, null)`
  const { page, rendered } = pages()
  await page(teachingPath(rows.find(({ uid }) => uid === one)!), true)
  const [around, ...others] = rendered[0]!.data.part!.series!
  expect(others).toEqual([])
  expect(around).toMatchObject({ slug: 'all', title: 'All', place: 2, count: 3 })
  expect([around!.before!.title, around!.after!.title]).toEqual(['Three', 'Two'])
})

test('renders no page for an unknown, deleted or misnamed series', async () => {
  await sql`insert into series (slug, title, deleted_at) values ('gone', 'Gone', now())`
  const [row] = await sql<
    { uid: string }[]
  >`insert into series (slug, title) values ('hope', 'Hope') returning uid`
  const { page, rendered } = pages()
  for (const path of ['/series/gone', '/series/nothing', '/series/hope/x', '/series/Hope!', '/series/%'])
    expect([path, await page(path, true)]).toEqual([path, undefined])
  expect(rendered).toEqual([])
  // Its uid leads to its address, which is answered before.
  await page(`/series/${row!.uid}`, true)
  expect(rendered.map(({ data }) => data.part?.path)).toEqual(['/series/hope'])
})

test('renders a series’ first live teachings once per revision', async () => {
  await sql`insert into passages (reference, text, translation, copyright_line)
    values ('Luke 2:1', 'A decree.', 'King James Version', 'Line.')`
  const rows = await add(...Array.from({ length: 30 }, (_, n) => ({ title: `Study ${n}` })))
  const byTitle = new Map(rows.map(({ title, uid }) => [title, uid]))
  const uids = Array.from({ length: 30 }, (_, n) => byTitle.get(`Study ${29 - n}`)!)
  await sql`update teachings set deleted_at = now() where title = 'Study 28'`
  await sql`insert into series (slug, title, description, teachings)
    values ('信仰', 'Faith', 'On Luke 2:1.', ${uids}), ('empty', 'An empty one', '', '{}')`
  const { page, rendered } = pages()
  const path = '/series/%E4%BF%A1%E4%BB%B0'
  const first = await page(path, true)
  const { part, named } = rendered[0]!.data
  expect(part).toMatchObject({
    path: '/series/信仰',
    name: 'Faith',
    description: 'On Luke 2:1.',
    imageUrl: null,
    count: 29,
  })
  expect(part!.rows.map(({ title }) => title).slice(0, 3)).toEqual(['Study 29', 'Study 27', 'Study 26'])
  expect(part!.rows).toHaveLength(20)
  expect(named!.map(({ reference }) => reference)).toEqual(['Luke 2:1'])
  expect(await page(path, true)).toEqual(first)
  await page('/browse', true)
  expect(rendered[1]!.data.part).toEqual({
    path: '/browse',
    rows: [],
    groups: [
      { path: '/series/empty', name: 'An empty one', count: 0, imageUrl: null },
      { path: '/series/信仰', name: 'Faith', count: 29, imageUrl: null },
      { kind: 'speakers', path: '/speakers/john-smith', name: 'John Smith', count: 29 },
    ],
  })
  expect(rendered).toHaveLength(2)
  await sql`update series set title = 'Trust' where slug = '信仰'`
  expect((await page(path, true))!.key).not.toBe(first!.key)
  expect(rendered.at(-1)!.data.part!.name).toBe('Trust')
})

test('limits prerendered teachings per second, never main pages', async () => {
  const rows = await add(...Array.from({ length: 25 }, (_, n) => ({ title: `Study ${n}` })))
  const { page } = pages()
  const made = async () => {
    const all = []
    for (const row of rows) all.push(await page(teachingPath(row), true))
    return all.filter((each) => each !== undefined).length
  }
  expect(await made()).toBe(20)
  expect(await page('/about', true)).toBeDefined()
  expect(await page('/', false)).toBeDefined()
  app.clock.advance(1000)
  expect(await made()).toBe(25)
})

test('a teaching’s page includes the passages of its reference', async () => {
  await sql`delete from passages`
  await sql`insert into passages (reference, text, translation, copyright_line)
    values ('Romans 8:1', 'No condemnation.', 'King James Version', 'Line.'), ('John 3:16', 'So loved.', 'King James Version', 'Line.')`
  const [teaching] = await add({ scriptureReference: 'Romans 8:1; Romans 9:1' })
  const { page, rendered } = pages()
  await page(teachingPath(teaching!), true)
  expect(rendered[0]!.data.passages?.map(({ text }) => text)).toEqual(['No condemnation.'])
  expect(rendered[0]!.data.named).toEqual([])
})

test('events and notices appear on Home and Events until their days are over', async () => {
  app.clock.set('2026-03-07T11:30:00Z')
  await sql`insert into events (title, starts, ends, repeats, cancelled)
    values ('Tea', '2026-03-01T10:00', '2026-03-01T11:00', 'FREQ=WEEKLY;COUNT=4', '{2026-03-15}')`
  await sql`insert into notices (text, "from", until) values ('No tea', '2026-03-08', '2026-03-08')`
  const { page, rendered } = pages()
  const [home, events] = [await page('/', true), await page('/events', true)]
  const dates = (data: PrerenderData) =>
    (data.coming ?? data.part?.dates)?.map(({ starts, cancelled }) => [starts.slice(0, 10), cancelled])
  const coming = [
    ['2026-03-08', false],
    ['2026-03-15', true],
    ['2026-03-22', false],
  ]
  expect(rendered.map(({ data }) => dates(data))).toEqual([coming, coming])
  expect(rendered.map(({ data }) => data.notices?.map(({ text }) => text))).toEqual([['No tea'], undefined])
  // The day after by the church's clock: nothing was written meanwhile.
  app.clock.set('2026-03-08T11:30:00Z')
  expect((await page('/', true))!.key).not.toBe(home!.key)
  expect((await page('/events', true))!.key).not.toBe(events!.key)
  expect(dates(rendered[2]!.data)).toEqual(coming.slice(1))
  expect(rendered[2]!.data.notices).toEqual([])
})

test('a teaching’s page includes its approved text, and no draft', async () => {
  const [teaching] = await add({})
  const path = teachingPath(teaching!)
  const { page, rendered } = pages()
  const said = async () => {
    await page(path, true)
    return rendered.at(-1)!.data.part?.said?.map(({ text }) => text)
  }
  const sentences = [{ start: null, end: null, about: false, voice: '', text: 'Grace to you.' }]
  await sql`insert into transcripts (teaching, state, source, sentences, by_name, saved_at)
    values (${teaching!.uid}, 'draft', 'person', ${sql.json(sentences)}, 'Ruth', now())`
  expect(await said()).toBeUndefined()
  await sql`update transcripts set state = 'approved'`
  expect(await said()).toEqual(['Grace to you.'])
  await sql`delete from transcripts`
  expect(await said()).toBeUndefined()
})
