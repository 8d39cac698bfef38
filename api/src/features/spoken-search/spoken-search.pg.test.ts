import 'fake-indexeddb/auto'
import { spokenIndexInSteps } from '@fellowship/schema/spoken-search/spoken-index'
import { spokenSearch } from '@fellowship/schema/spoken-search/spoken-search.contract'
import type { SpokenPack } from '@fellowship/schema/spoken-search/spoken-search.schema'
import { decodeWords } from '@fellowship/schema/spoken-search/spoken-words'
import { finish } from '@fellowship/schema/teachings/teaching-search'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { generatedTexts } from '@fellowship/schema/testing/spoken-library'
import { call } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { AudioDatabase } from '@fellowship/sync/client/database/audio-database'
import { SpokenDatabase } from '@fellowship/sync/client/database/spoken-database'
import { pull } from '@fellowship/sync/client/replica/pull'
import { spokenDevice } from '@fellowship/sync/client/spoken-search/spoken-device'
import { beforeEach, describe, expect, test } from 'vitest'
import { testApp } from '../../testing/test-app.ts'
import { refusal } from '../../testing/test-client.ts'

const app = await testApp()
const { sql } = app.context
const visitor = app.client()

beforeEach(async () => {
  await sql`delete from transcripts`
  await sql`delete from teachings`
  app.clock.advance(61_000)
})

async function addTeaching(title: string, date = '2026-11-22'): Promise<string> {
  const [row] = await sql<{ uid: string }[]>`
    insert into teachings (title, speaker, date, year)
    values (${title}, 'S', ${date}, ${Number(date.slice(0, 4))}) returning uid`
  return row!.uid
}
const addText = (teaching: string, text: string, state: 'draft' | 'approved' = 'approved') => sql`
  insert into transcripts (teaching, state, source, sentences, by_name, saved_at)
  values (${teaching}, ${state}, 'person', ${sql.json(sentencesOf(text))}, 'Ruth', now())`
const sentencesOf = (text: string) =>
  text.split('|').map((each, at) => ({ start: at * 4000, end: null, about: false, voice: '', text: each }))

const list = () => call(spokenSearch.list, {}, visitor)
const said = async (q: string) => (await call(spokenSearch.said, { query: { q } }, visitor)).teachings
const saidIn = async (q: string) => (await said(q)).map(({ uid }) => uid)
const pack = (id: string) => call(spokenSearch.pack, { params: { id } }, visitor)

/** Everything that a new device fetches, as one index. */
async function fetchIndex() {
  const { dictionary, years } = await list()
  const { pieces } = dictionary.id
    ? await call(spokenSearch.dictionary, { params: { id: dictionary.id }, query: { from: 0 } }, visitor)
    : { pieces: [] }
  const packs: SpokenPack[] = []
  for (const { id } of years) packs.push(await pack(id))
  expect(packs.every((each) => each.dictionary.id === dictionary.id)).toBe(true)
  const texts = packs.flatMap((each) => each.texts)
  return finish(spokenIndexInSteps(pieces.flatMap(decodeWords), texts))
}

test.each(['x', 'a'.repeat(17), '..%2f..%2fetc12345'])('pack %j is refused', async (id) => {
  expect((await refusal(pack(id))).status).toBe(400)
})

test('an unknown pack or dictionary is not found', async () => {
  const id = 'a'.repeat(16)
  expect((await refusal(pack(id))).status).toBe(404)
  const dictionary = call(spokenSearch.dictionary, { params: { id }, query: { from: 0 } }, visitor)
  expect((await refusal(dictionary)).status).toBe(404)
})

describe('only approved texts are searched', () => {
  test('a library without a text has no parts', async () => {
    await addTeaching('Hope')
    expect(await list()).toMatchObject({ texts: 0, bytes: 0, years: [], recent: [] })
    expect(await said('hope')).toEqual([])
  })

  test('a draft is in no part and no answer', async () => {
    const uid = await addTeaching('Hope')
    await addText(uid, 'A secret word: zebra.', 'draft')
    expect((await list()).texts).toBe(0)
    expect(await said('zebra')).toEqual([])
    expect(await call(teachings.search, { query: { q: 'zebra' } }, visitor)).toEqual([])
    expect(await sql`select * from spoken_texts`).toEqual([])
  })

  test('a draft beside an approved text stays out', async () => {
    const uid = await addTeaching('Hope')
    await addText(uid, 'The lion lay down.')
    await addText(uid, 'The zebra lay down.', 'draft')
    expect(await saidIn('lion')).toEqual([uid])
    expect(await saidIn('zebra')).toEqual([])
  })

  test.each([
    [
      'deletion of the text',
      (uid: string) => sql`update transcripts set deleted_at = now() where teaching = ${uid}`,
    ],
    [
      'return to a draft',
      (uid: string) => sql`update transcripts set state = 'draft' where teaching = ${uid}`,
    ],
    [
      'deletion of the teaching',
      (uid: string) => sql`update teachings set deleted_at = now() where uid = ${uid}`,
    ],
  ])('no words remain after the %s', async (_, remove) => {
    const [uid, other] = [await addTeaching('Hope'), await addTeaching('Faith')]
    await addText(uid, 'The zebra lay down.')
    await addText(other, 'The lion lay down.')
    const before = await list()
    expect(await saidIn('zebra')).toEqual([uid])
    await remove(uid)
    expect(await saidIn('zebra')).toEqual([])
    for (const { id } of before.years) expect((await refusal(pack(id))).status).toBe(404)
    expect((await list()).recent.map((each) => each.uid)).toEqual([other])
    expect(await sql`select teaching from spoken_texts`).toEqual([{ teaching: other }])
  })

  test('a corrected text replaces the former one', async () => {
    const uid = await addTeaching('Hope')
    await addText(uid, 'The zebra lay down.')
    expect(await saidIn('zebra')).toEqual([uid])
    await sql`update transcripts set deleted_at = now()`
    await addText(uid, 'The lion lay down.')
    expect(await saidIn('zebra')).toEqual([])
    expect(await saidIn('lion')).toEqual([uid])
  })
})

describe('the answer', () => {
  test('an answer has sentences with marks and neighbours', async () => {
    const uid = await addTeaching('Hope')
    await addText(uid, 'He asked for it.|He wasted it all.|He came home.')
    const [found] = await said('wasted')
    expect(found).toEqual({
      uid,
      sentences: [
        {
          at: 1,
          start: 4000,
          text: 'He wasted it all.',
          marks: [[3, 9]],
          before: { text: 'He asked for it.', marks: [] },
          after: { text: 'He came home.', marks: [] },
        },
      ],
    })
  })

  test('quoted words must follow each other', async () => {
    const [right, wrong] = [await addTeaching('Hope'), await addTeaching('Faith')]
    await addText(right, 'A far country.')
    await addText(wrong, 'This country is far.')
    expect(await saidIn('"far country"')).toEqual([right])
    expect(new Set(await saidIn('far country'))).toEqual(new Set([right, wrong]))
  })

  test('the library search ends with teachings that say it', async () => {
    const [titled, spoken] = [await addTeaching('Prodigal'), await addTeaching('Luke', '2026-11-29')]
    await addText(spoken, 'The prodigal came home.')
    await addText(titled, 'The prodigal left.')
    const found = await call(teachings.search, { query: { q: 'prodigal' } }, visitor)
    expect(found.map(({ uid }) => uid)).toEqual([titled, spoken])
  })
})

test('a device finds what the server finds', async () => {
  const { vocabulary, texts } = generatedTexts({ texts: 12, wordsOfText: 700, vocabulary: 4000 })
  const sentence = (words: readonly number[]) => words.map((word) => vocabulary[word]).join(' ')
  for (const [at, words] of texts.entries()) {
    await addText(await addTeaching(`T${at}`, `20${10 + at}-01-04`), sentence(words))
    // The dictionary grows on the way, and earlier texts are written anew.
    if (at % 4 === 3) await list()
  }
  const index = await fetchIndex()
  expect(index.texts).toBe(12)
  expect((await list()).dictionary.pieces).toBeGreaterThan(1)
  for (const word of [1, 40, 200, 600]) {
    const q = vocabulary[word]!.slice(0, 5)
    expect((await saidIn(q)).toSorted()).toEqual(index.search(q).uids.toSorted())
  }
})

test('a device forgets a withdrawn text at its next pull', async () => {
  const [db, replica] = [new SpokenDatabase(), new AppDatabase()]
  const deps = { db, app: replica, audio: new AudioDatabase(), transport: visitor }
  const device = spokenDevice({ ...deps, now: () => Date.now(), random: () => 0 })
  const pullAndUpdate = async () => {
    await pull(replica, visitor, { now: () => Date.now() })
    expect(await device.update(true)).toBeUndefined()
  }
  const found = async (query: string) => (await device.search(query)).uids
  const uid = await addTeaching('Hope')
  await addText(uid, 'The zebra lay down.')
  await addText(await addTeaching('Faith'), 'The lion lay down.')
  await pullAndUpdate()
  expect(await found('zebra')).toEqual([uid])
  await sql`update transcripts set state = 'draft' where teaching = ${uid}`
  await pullAndUpdate()
  expect(await found('zebra')).toEqual([])
  expect(await db.texts.count()).toBe(1)
})

test('a single text is offered beside the year', async () => {
  const uid = await addTeaching('Hope')
  await addText(uid, 'The prodigal came home.')
  await addText(await addTeaching('Faith', '2020-01-05'), 'The zebra.')
  const { recent, years } = await list()
  expect(years.map(({ year }) => year)).toEqual([2026, 2020])
  const own = await pack(recent.find((each) => each.uid === uid)!.id)
  expect(own.texts).toEqual([expect.objectContaining({ uid, own: encodedHome })])
})
const encodedHome = 'AcameAhomeAprodigalAthe'

test('parts are compressed and kept under their address', async () => {
  await addText(await addTeaching('Hope'), 'The prodigal came home.')
  const { years } = await list()
  const answer = await fetch(`${app.url}/api/spoken-search/packs/${years[0]!.id}`, {
    headers: { 'accept-encoding': 'br' },
  })
  expect(answer.headers.get('content-encoding')).toBe('br')
  expect(answer.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
})
