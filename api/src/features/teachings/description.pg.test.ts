import { expect, test } from 'vitest'
import { syncedWordBytes } from '@fellowship/schema/sync/sync.limits'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { teachings, bin } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const person = await app.signedIn()
const admin = await app.signedIn('admin')
const description = 'Why hope does not disappoint.\n\nThe second of five.'
const body = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }
const file = new File([new Uint8Array(await fixture('cbr.mp3'))], 'hope.mp3')

const upload = (text: string) =>
  call(uploads.smartUpload, { body: { ...body, description: text }, files: { audioFile: file } }, person)
const edit = (id: number, text?: string) =>
  call(
    teachings.update,
    { params: { id }, body: { ...body, ...(text !== undefined && { description: text }) } },
    person,
  )

test('refuses a too long description with its limit', async () => {
  expect((await refusal(upload('x'.repeat(2_001)))).status).toBe(400)
  expect(await call(teachings.list, {}, person)).toEqual([])
})

test('a description keeps line breaks, in search and feed', async () => {
  const { teaching } = await upload(description)
  expect(teaching.description).toBe(description)
  const found = await call(teachings.search, { query: { q: 'disappoint' } }, person)
  expect(found.map(({ id }) => id)).toEqual([teaching.id])
  const feed = await (await person.fetch(`${person.base}/feed.xml`)).text()
  expect(feed).toContain('<itunes:summary>Why hope does not disappoint.')
  expect(feed).toContain('<description>Why hope does not disappoint.')
})

test('an absent description stays; an empty one removes it', async () => {
  const [teaching] = await call(teachings.list, {}, person)
  expect((await edit(teaching!.id)).description).toBe(description)
  expect((await edit(teaching!.id, '')).description).toBeNull()
  expect((await edit(teaching!.id, description)).description).toBe(description)
})

test('a restored teaching still has its description', async () => {
  const [teaching] = await call(teachings.list, {}, person)
  await call(teachings.remove, { params: { id: teaching!.id } }, person)
  await call(bin.restore, { params: { id: teaching!.id } }, admin)
  expect((await call(teachings.list, {}, person))[0]!.description).toBe(description)
})

test('a library full of words rejects longer ones', async () => {
  const { sql } = app.context
  const [teaching] = await call(teachings.list, {}, person)
  await sql.begin(async (tx) => {
    // Without the triggers, which would take seconds.
    await tx`set local session_replication_role = replica`
    await tx`insert into teachings (title, speaker, date, year, description, deleted_at)
      select 'T', 'S', '2026-01-04', 2026, ${'ā'.repeat(2_000)}, now()
      from generate_series(1, ${Math.floor(syncedWordBytes.teachings / 4_012)})`
  })
  const full = { status: 400, sentence: teachingTexts.libraryFull }
  expect(await refusal(edit(teaching!.id, 'x'.repeat(2_000)))).toMatchObject(full)
  expect((await edit(teaching!.id, 'Short')).description).toBe('Short')
})
