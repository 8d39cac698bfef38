import { expect, test } from 'vitest'
import { testDatabase } from '../../testing/test-db.ts'
import { approvedTexts } from './transcripts.sql.ts'

const { sql } = await testDatabase()

const sentences = [{ start: 0, end: 900, about: false, voice: '', text: 'Grace to you.' }]
async function addTeaching(title: string, date = '2026-11-22'): Promise<string> {
  const [row] = await sql<{ uid: string }[]>`
    insert into teachings (title, speaker, date, year) values (${title}, 'S', ${date}, 2026) returning uid`
  return row!.uid
}
const addText = (teaching: string, state: 'draft' | 'approved') => sql`
  insert into transcripts (teaching, state, source, sentences, by_name, saved_at)
  values (${teaching}, ${state}, 'person', ${sql.json(sentences)}, 'Ruth', now())`
const clock = async () => {
  const [row] = await sql<{ rev: number }[]>`select rev from sync_clock`
  return row!.rev
}

test('a draft allocates no revision and is no approved text', async () => {
  const uid = await addTeaching('Hope')
  const before = await clock()
  await addText(uid, 'draft')
  expect(await clock()).toBe(before)
  expect(await approvedTexts(sql)).toEqual([])
  await sql`update transcripts set state = 'approved'`
  const rev = await clock()
  expect(await sql`select rev, transcript_rev from teachings where uid = ${uid}`).toEqual([
    { rev, transcriptRev: rev },
  ])
  const text = { teaching: uid, date: '2026-11-22', rev, language: '', sentences }
  expect(await approvedTexts(sql)).toEqual([text])
  expect(await approvedTexts(sql, [])).toEqual([])
})

test('a text that was removed, or whose teaching was, is none', async () => {
  const uid = await addTeaching('Faith', '2026-10-04')
  await addText(uid, 'approved')
  const found = async () => (await approvedTexts(sql, [uid])).length
  const revision = () => sql`select transcript_rev from teachings where uid = ${uid}`
  expect(await found()).toBe(1)
  await sql`update teachings set deleted_at = now() where uid = ${uid}`
  expect(await found()).toBe(0)
  await sql`update teachings set deleted_at = null where uid = ${uid}`
  await sql`update transcripts set deleted_at = now() where teaching = ${uid}`
  expect([await found(), ...(await revision())]).toEqual([0, { transcriptRev: null }])
})

test('approving a text is no conflict with an edit', async () => {
  const uid = await addTeaching('Love', '2026-09-06')
  const changed = () => sql`select changed_rev from teachings where uid = ${uid}`
  const before = await changed()
  await addText(uid, 'approved')
  expect(await changed()).toEqual(before)
})
