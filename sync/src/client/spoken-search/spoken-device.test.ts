import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { distinctWords, encodeText, encodeWords } from '@fellowship/schema/spoken-search/spoken-words'
import type { SpokenList } from '@fellowship/schema/spoken-search/spoken-search.schema'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { AudioDatabase } from '../database/audio-database.ts'
import { SpokenDatabase } from '../database/spoken-database.ts'
import { writeSyncState } from '../replica/sync-state.ts'
import { spokenDevice, type SpokenDevice } from './spoken-device.ts'
import { contentIdOf } from './spoken-fetch.ts'

const uid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

interface Text {
  rev: number
  year: number
  text: string
}

/** A server with these texts by the number of their teaching. */
function server(texts: Map<number, Text>) {
  const requests: string[] = []
  let words = encodeWords(['father', 'home', 'the'])
  /** Replaces an answer, by the beginning of its address. */
  const replaced = new Map<string, (text: string) => string>()
  const answers = (): Map<string, string> => {
    const known = words.split(/[A-Z]/).slice(1)
    const dictionary = { id: contentIdOf(`\n${words}`), pieces: 1 }
    const by = new Map<string, string>()
    const numbers = new Map(known.map((word, number) => [word, number]))
    const packed = ([n, { rev, text }]: [number, Text]) => ({
      uid: uid(n),
      rev,
      ...encodeText(distinctWords([{ text }]), numbers),
    })
    const pack = (entries: [number, Text][]) => {
      const content = JSON.stringify({ dictionary, texts: entries.map(packed) })
      const id = contentIdOf(content)
      by.set(`/api/spoken-search/packs/${id}`, content)
      return id
    }
    const all = [...texts]
    const list: SpokenList = {
      dictionary,
      texts: all.length,
      bytes: 5000,
      years: [...new Set(all.map(([, { year }]) => year))].map((year) => ({
        year,
        id: pack(all.filter(([, text]) => text.year === year)),
      })),
      recent: all.slice(-1).map((entry) => ({ uid: uid(entry[0]), rev: entry[1].rev, id: pack([entry]) })),
    }
    by.set('/api/spoken-search', JSON.stringify(list))
    by.set(
      `/api/spoken-search/dictionaries/${dictionary.id}?from=0`,
      JSON.stringify({ id: dictionary.id, from: 0, pieces: [words] }),
    )
    for (const [n, { rev, text }] of texts)
      by.set(
        `/api/spoken-search/sentences/${uid(n)}`,
        JSON.stringify({ rev, sentences: text.split('|').map((each) => ({ start: 1000, text: each })) }),
      )
    return by
  }
  return {
    requests,
    replaced,
    /** Makes the dictionary anew. */
    renumber: () => void (words = encodeWords(['came', 'home', 'lost', 'the'])),
    fetch: (async (address: string, init?: RequestInit) => {
      requests.push(address)
      expect(init?.credentials).toBe('omit')
      const text = answers().get(address)
      const change = [...replaced].find(([beginning]) => address.startsWith(beginning))?.[1]
      if (text === undefined) return new Response('{"success":false,"code":"not_found"}', { status: 404 })
      return new Response(change ? change(text) : text)
    }) as typeof fetch,
  }
}

let names = 0
let app: AppDatabase
let db: SpokenDatabase
let audio: AudioDatabase
let texts: Map<number, Text>
let site: ReturnType<typeof server>
let device: SpokenDevice
let time: number
beforeEach(async () => {
  names += 1
  app = new AppDatabase(`said-app-${names}`)
  db = new SpokenDatabase(`said-${names}`)
  audio = new AudioDatabase(`said-audio-${names}`)
  time = 1_000_000
  texts = new Map([
    [1, { rev: 11, year: 2024, text: 'The prodigal came home.' }],
    [2, { rev: 12, year: 2024, text: 'His father ran.|Lost and found.' }],
    [3, { rev: 13, year: 2026, text: 'The shepherd came home.' }],
  ])
  site = server(texts)
  const transport = { fetch: site.fetch, base: '' }
  device = spokenDevice({ db, app, audio, transport, now: () => time, random: () => 1 })
  await pulled()
})
afterEach(() => Promise.all([app.delete(), db.delete(), audio.delete()]))

let pulls = 0
/** The replica after a pull of the present texts. */
async function pulled() {
  await app.teachings.clear()
  await app.teachings.bulkPut(
    [1, 2, 3].map((n) => {
      const text = texts.get(n)
      const date = `${text?.year ?? 2024}-01-0${n}`
      return aTeaching({
        id: n,
        uid: uid(n),
        date,
        year: text?.year ?? 2024,
        transcriptRev: text?.rev ?? null,
      })
    }),
  )
  await writeSyncState(app, { cursor: `after ${(pulls += 1)}` })
}
const found = async (query: string) => (await device.search(query)).uids
const addressesOf = (part: string) => site.requests.filter((address) => address.includes(part))

describe('bad answers are not stored', () => {
  test.each<[string, string, (text: string) => string]>([
    ['a page of a captive portal', '/api/spoken-search', () => '<html>Sign in</html>'],
    [
      'a pack with another content',
      '/api/spoken-search/packs/',
      (text) => text.replace('prodigal', 'prodigan'),
    ],
    ['a pack that was cut short', '/api/spoken-search/packs/', (text) => text.slice(0, -9)],
    ['another dictionary', '/api/spoken-search/dictionaries/', (text) => text.replace('father', 'fother')],
    ['a pack of 17 MB', '/api/spoken-search/packs/', () => ' '.repeat(17 * 1024 * 1024)],
  ])('%s', async (_, address, change) => {
    site.replaced.set(address, change)
    expect(await device.update(true)).toBeGreaterThan(time)
    expect(await db.texts.count()).toBe(0)
    // The next try finds everything.
    site.replaced.clear()
    time += 600_000
    expect(await device.update(true)).toBeUndefined()
    expect(await found('prodigal')).toEqual([uid(1)])
  })

  test('a failed update does not ask again before its time', async () => {
    site.replaced.set('/api/spoken-search', () => 'x')
    await device.update(true)
    const asked = site.requests.length
    await device.update(true)
    expect(site.requests).toHaveLength(asked)
  })
})

test('nothing is fetched before the first pull', async () => {
  await app.meta.clear()
  expect(await device.update(true)).toBeUndefined()
  expect(site.requests).toEqual([])
})

test('a new device fetches each year once', async () => {
  expect(await device.update(true)).toBeUndefined()
  expect(addressesOf('/packs/')).toHaveLength(2)
  expect(await found('came home')).toEqual([uid(3), uid(1)])
  expect(await found('shepard')).toEqual([uid(3)])
  expect(await device.state()).toEqual({ texts: 3, bytes: 5000 })
  const asked = site.requests.length
  await device.update(true)
  expect(site.requests).toHaveLength(asked)
})

test('one new text is fetched alone', async () => {
  const last = texts.get(3)!
  texts.delete(3)
  await pulled()
  await device.update(true)
  texts.set(3, { ...last, year: 2024 })
  await pulled()
  site.requests.length = 0
  await device.update(true)
  expect(site.requests.map((address) => address.split('/')[3])).toEqual([undefined, 'packs'])
  expect(await found('shepherd')).toEqual([uid(3)])
})

describe('a withdrawn text is gone after the next pull', () => {
  beforeEach(() => device.update(true))

  test('its words go without a request', async () => {
    texts.delete(1)
    await pulled()
    site.requests.length = 0
    await device.update(true)
    expect(await found('prodigal')).toEqual([])
    expect(await db.texts.get(uid(1))).toBeUndefined()
    expect(site.requests).toEqual([])
  })

  test('a corrected text replaces it', async () => {
    texts.set(1, { rev: 21, year: 2024, text: 'The younger son.' })
    await pulled()
    await device.update(true)
    expect(await found('prodigal')).toEqual([])
    expect(await found('younger')).toEqual([uid(1)])
  })
})

test('a corrected date moves a text without a request', async () => {
  await device.update(true)
  await app.teachings.where('uid').equals(uid(3)).modify({ date: '2023-12-31' })
  await writeSyncState(app, { cursor: 'after the date' })
  site.requests.length = 0
  await device.update(true)
  expect(await found('came home')).toEqual([uid(1), uid(3)])
  expect(site.requests).toEqual([])
})

test('another dictionary replaces the texts of the former one', async () => {
  await device.update(true)
  site.renumber()
  texts.set(1, { rev: 21, year: 2024, text: 'The lost son came home.' })
  await pulled()
  const again = await device.update(true)
  time = (again ?? time) + 1
  site.requests.length = 0
  expect(await device.update(true)).toBeUndefined()
  expect(site.requests, 'the dictionary is on the device').not.toContainEqual(
    expect.stringContaining('dictionaries'),
  )
  expect(await found('lost')).toEqual([uid(2), uid(1)])
  expect(await found('shepherd')).toEqual([uid(3)])
})

test('opting out removes everything', async () => {
  await device.update(true)
  await device.update(false)
  const counts = await Promise.all(db.tables.map((table) => table.count()))
  expect(counts).toEqual([0, 0, 0, 0])
  expect(await found('prodigal')).toEqual([])
})

test('damaged rows are fetched anew', async () => {
  await device.update(true)
  await db.texts.update(uid(1), { numbers: '~~~~~#' })
  const fresh = spokenDevice({
    db,
    app,
    audio,
    transport: { fetch: site.fetch, base: '' },
    now: () => time,
    random: () => 1,
  })
  await expect(fresh.search('prodigal')).rejects.toThrow(RangeError)
  await fresh.update(true)
  expect((await fresh.search('prodigal')).uids).toEqual([uid(1)])
})

describe('sentences', () => {
  const saved = (n: number) =>
    audio.recordings.put({
      key: String(n),
      teachingUid: uid(n),
      title: '',
      speaker: '',
      date: '',
      url: '',
      size: 1,
      type: '',
      bytes: 1,
      state: 'ready',
      savedAt: 1,
    })
  const sentences = async (n: number, query: string) =>
    device.sentences(uid(n), (await device.search(query)).parts)

  test('a text that is not stored has no sentences', async () => {
    await device.update(true)
    expect(await sentences(2, 'found')).toBeUndefined()
    expect(addressesOf('/sentences/')).toEqual([])
  })

  test('saved recordings store their texts', async () => {
    await saved(2)
    await device.update(true)
    expect(await db.sentences.count()).toBe(1)
    site.replaced.set('/api/spoken-search/sentences/', () => 'x')
    expect((await sentences(2, 'found'))?.map(({ at }) => at)).toEqual([1])
    await audio.recordings.clear()
    await device.update(true)
    expect(await db.sentences.count()).toBe(0)
  })

  test('a withdrawn text has no sentences', async () => {
    await saved(2)
    await device.update(true)
    const { parts } = await device.search('father')
    expect(await device.sentences(uid(2), parts)).toHaveLength(1)
    texts.delete(2)
    await pulled()
    expect(await device.sentences(uid(2), parts)).toBeUndefined()
    await device.update(true)
    expect(await db.sentences.count()).toBe(0)
  })
})
