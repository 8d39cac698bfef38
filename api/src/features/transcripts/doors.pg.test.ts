import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import { transcriptAddress } from '@fellowship/schema/transcripts/transcript-address'
import { type Transcript, transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { call } from '@fellowship/sync/call/call'
import { everything } from '../../testing/everything.ts'
import { formBody, sendForm } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { refusal, type TestClient } from '../../testing/test-client.ts'
import { changedBackup, savedBackup } from '../../testing/changed-backup.ts'
import { restore } from '../backup/restore.ts'
import { readTranscript, saveDraft } from './transcripts.ts'

const app = await testApp()
const { context } = app
const { sql } = context
const visitor = app.client()
const person = await app.signedIn()
const other = await app.signedIn()
const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGrace to Zerubbabel.\n'
let id: number
let uid: string

beforeEach(async () => {
  await sql`delete from transcripts`
  await sql`delete from audit_log`
  await sql`delete from teachings`
  const [row] = await sql<{ id: number; uid: string }[]>`
    insert into teachings (title, speaker, date, year) values ('Hope', 'Ruth', '2026-11-22', 2026) returning id, uid`
  ;({ id, uid } = row!)
})

const address = (query = '') => `${app.url}/api/teachings/${id}/transcript${query}`
const token = async (client: TestClient) => (await call(auth.csrfToken, {}, client)).csrfToken

async function put(
  body: string | Uint8Array<ArrayBuffer>,
  { client = person, type = 'text/vtt', query = '', headers = {} as Record<string, string> } = {},
) {
  const csrf = { 'x-csrf-token': await token(client), 'content-type': type, ...headers }
  const response = await client.fetch(address(query), { method: 'PUT', headers: csrf, body })
  return { status: response.status, body: (await response.json()) as Transcript & { error: string } }
}
const approve = (client = person, body = {}) => call(transcripts.approve, { params: { id }, body }, client)
const read = (client: TestClient) => call(transcripts.read, { params: { id } }, client)
const file = () => fetch(app.url + transcriptAddress(uid))
const words = ({ sentences }: Pick<Transcript, 'sentences'>) => sentences.map(({ text }) => text).join(' ')

describe('refuses', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, string, number, RegExp]>([
    ['another type', vtt, 'text/html', 415, /text\/vtt/],
    ['a recording', new Uint8Array([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0]), 'text/plain', 415, /no text/],
    ['a damaged line', `${vtt}\n00:9x --> 00:05.000\nb`, 'text/vtt', 400, /Line 6 /],
    ['an empty file', '', 'text/plain', 400, /no sentence/],
    ['a page', '<!DOCTYPE html><p>404', 'text/vtt', 400, /web page/],
    ['a cut JSON', '{"sentences": [', 'application/json', 400, /JSON/],
    ['bad sentences', '{"sentences": [{"text": ""}]}', 'application/json', 400, /./],
    ['too many bytes', 'a'.repeat(transcriptLimits.fileBytes + 1), 'text/plain', 413, /2 MB/],
  ])('%s', async (_, body, type, status, sentence) => {
    const before = await everything(app)
    const answer = await put(body, { type })
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(sentence)])
    expect(await everything(app)).toEqual(before)
  })

  test('forms without a file, with another part, or too large', async () => {
    const headers = { 'x-csrf-token': await token(person) }
    const send = (parts: Parameters<typeof formBody>[0]) =>
      sendForm(person, `/api/teachings/${id}/transcript`, formBody(parts), { method: 'PUT', headers })
    const part = (name: string, bytes: number) => ({
      name,
      filename: 'a.vtt',
      body: [Buffer.alloc(bytes, 97)],
    })
    const before = await everything(app)
    expect((await send([{ name: 'language', value: 'en' }])).status).toBe(400)
    expect((await send([part('audioFile', 3)])).status).toBe(400)
    const large = await send([part('transcript', transcriptLimits.fileBytes + 1)])
    expect([large.status, large.body['error']]).toEqual([413, expect.stringContaining('2 MB')])
    expect(await everything(app)).toEqual(before)
  })

  test('a text of a deleted teaching, and of none', async () => {
    await sql`update teachings set deleted_at = now()`
    expect((await put(vtt)).status).toBe(404)
    id = 999_999
    expect((await put(vtt)).status).toBe(404)
  })

  test('approval of nothing, and of a text that was not seen', async () => {
    expect((await refusal(approve())).status).toBe(404)
    const { body: seen } = await put(vtt)
    const { body: newer } = await put(vtt.replace('Grace', 'Peace'), { client: other })
    const error = await refusal(approve(person, { baseVersion: seen.version }))
    expect([error.status, (error.body['current'] as Transcript).version]).toEqual([409, newer.version])
  })
})

test('restoring refuses an unknown version, and a text that was not seen', async () => {
  const restoring = (version: number, body: { baseVersion?: number } = {}, client: TestClient = person) =>
    call(transcripts.restore, { params: { id, version }, body }, client)
  const { body: first } = await put('First.', { type: 'text/plain' })
  const { body: seen } = await put('Second.', { client: other, type: 'text/plain' })
  expect((await refusal(restoring(first.version, {}, visitor))).status).toBe(401)
  expect((await refusal(restoring(seen.version))).status).toBe(404)
  const { body: newer } = await put('Third.', { type: 'text/plain' })
  const before = await everything(app)
  const error = await refusal(restoring(first.version, { baseVersion: seen.version }))
  expect([error.status, (error.body['current'] as Transcript).version]).toEqual([409, newer.version])
  expect(await everything(app)).toEqual(before)
  const restored = await restoring(first.version, { baseVersion: newer.version })
  // The answer to the first request was lost.
  expect(await restoring(first.version, { baseVersion: newer.version })).toEqual(restored)
  await sql`update teachings set deleted_at = now()`
  expect((await refusal(restoring(seen.version))).status).toBe(404)
})

test('a save that started from an older text is refused', async () => {
  const { body: first } = await put(vtt)
  const { body: second } = await put('Peace.', { client: other, query: `?baseVersion=${first.version}` })
  const late = await put('Mercy.', { query: `?baseVersion=${first.version}` })
  expect([late.status, words((late.body as unknown as { current: Transcript }).current)]).toEqual([
    409,
    'Peace.',
  ])
  expect((await read(person)).draft?.version).toBe(second.version)
  // The answer to the first request was lost.
  const again = await put('Peace.', { client: other, query: `?baseVersion=${first.version}` })
  expect([again.status, again.body.version]).toEqual([200, second.version])
})

describe('the list of drafts', () => {
  const list = (client: TestClient = other) => call(transcripts.drafts, {}, client)
  const add = async (title: string, date: string) => {
    const [row] = await sql<{ id: number; uid: string }[]>`
      insert into teachings (title, speaker, date, year, audio_url)
      values (${title}, 'Ruth', ${date}, 2026, '/audio/a.mp3') returning id, uid`
    ;({ id, uid } = row!)
    await put(vtt)
  }
  beforeEach(() => sql`update teachings set audio_url = '/audio/hope.mp3'`)

  test('is refused to visitors', async () => {
    await put(vtt)
    expect((await refusal(list(visitor))).status).toBe(401)
  })

  test('has drafts alone, of recordings that are there', async () => {
    expect(await list()).toEqual({ count: 0, drafts: [] })
    await put(vtt)
    await approve()
    expect((await list()).count).toBe(0)
    await put('Peace.', { type: 'text/plain' })
    expect((await list()).drafts).toEqual([
      {
        id,
        uid,
        title: 'Hope',
        speaker: 'Ruth',
        date: '2026-11-22',
        scriptureReference: null,
        source: 'person',
        savedBy: expect.stringMatching(/./) as string,
      },
    ])
    await call(transcripts.remove, { params: { id }, query: { only: 'draft' } }, person)
    expect((await list()).count).toBe(0)
    await put('Peace.', { type: 'text/plain' })
    await sql`update teachings set audio_url = null`
    expect((await list()).count).toBe(0)
    await sql`update teachings set audio_url = '/audio/hope.mp3', deleted_at = now()`
    expect((await list()).count).toBe(0)
  })

  test('has the newest teachings first', async () => {
    await put(vtt)
    await add('Newer', '2026-11-29')
    await add('Older', '2026-01-04')
    const { count, drafts } = await list()
    expect([count, ...drafts.map(({ title }) => title)]).toEqual([3, 'Newer', 'Hope', 'Older'])
  })

  test('counts the drafts that one answer does not hold', async () => {
    await sql`
      with added as (insert into teachings (title, speaker, date, year, audio_url)
        select 'Many', 'Ruth', '2026-11-22', 2026, '/audio/a.mp3' from generate_series(1, 103) returning uid)
      insert into transcripts (teaching, state, source, language, sentences, by_name, saved_at)
        select uid, 'draft', 'machine', 'en', '[]', 'Machine', now() from added`
    const { count, drafts } = await list()
    expect([count, drafts.length]).toEqual([103, 100])
  })
})

test('a repeated request saves one text', async () => {
  const headers = { 'idempotency-key': '0198c2f4-0000-4000-8000-000000000001' }
  const { body: first } = await put(vtt, { headers })
  await put('Peace.', { client: other })
  expect((await put(vtt, { headers })).body).toEqual(first)
  expect(words((await read(person)).draft!)).toBe('Peace.')
  expect((await put('Mercy.', { headers })).status).toBe(422)
})

test('saves each format as a draft, by body or form', async () => {
  const srt = '1\n00:00:01,000 --> 00:00:02,000\nFrom SRT\n'
  expect(words((await put(srt, { type: 'application/x-subrip' })).body)).toBe('From SRT')
  const latin = Buffer.from('Zo\xEB said: caf\xE9.', 'latin1')
  expect(words((await put(new Uint8Array(latin), { type: 'text/plain' })).body)).toBe('Zoë said: café.')
  for (const mark of ['', '\uFEFF']) {
    const wide = new Uint8Array(Buffer.from(`${mark}Zoë in sixteen bits.`, 'utf16le'))
    expect(words((await put(wide, { type: 'text/plain' })).body)).toBe('Zoë in sixteen bits.')
  }
  const own = { sentences: [{ start: null, text: 'No time.' }] }
  const { body: saved } = await put(JSON.stringify(own), {
    type: 'application/json',
    query: '?language=en-NZ',
  })
  expect([words(saved), saved.language, saved.state]).toEqual(['No time.', 'en-NZ', 'draft'])
  const files = { transcript: new File([vtt], 'hope.vtt') }
  const { sentences } = await call(transcripts.save, { params: { id }, query: {}, files }, person)
  expect(sentences).toEqual([
    { start: 1000, end: 2000, about: false, voice: '', text: 'Grace to Zerubbabel.' },
  ])
})

test('what was replaced or deleted can be restored', async () => {
  await put('First.', { type: 'text/plain' })
  const long = `Second${' word'.repeat(40)}.`
  await put(long, { type: 'text/plain' })
  await put('Third.', { client: other, type: 'text/plain' })
  const { earlier } = await read(person)
  expect(earlier.map(({ state, sentences, firstWords }) => [state, sentences, firstWords])).toEqual([
    ['draft', 1, expect.stringMatching(/^Second(?: word){22}…$/)],
  ])
  const { version } = earlier[0]!
  const restored = await call(transcripts.restore, { params: { id, version }, body: {} }, person)
  expect(words(restored)).toBe(long)
  await approve()
  await call(transcripts.remove, { params: { id }, query: {} }, person)
  expect((await file()).status).toBe(404)
  const after = await read(person)
  expect([after.draft, after.approved, after.earlier.length]).toEqual([null, null, 3])
  expect((await refusal(call(transcripts.remove, { params: { id }, query: {} }, person))).status).toBe(404)
})

test('approving again changes nothing, and is in the log once', async () => {
  const { body: draft } = await put(vtt)
  const first = await approve(person, { baseVersion: draft.version })
  const [before] = await sql`select rev from sync_clock`
  expect(await approve(other, { baseVersion: draft.version })).toEqual(first)
  expect((await sql`select rev from teachings`)[0]!['rev']).toBe(before!['rev'])
  const log =
    await sql`select action, subject from audit_log where action like 'transcript.%' order by id desc limit 2`
  expect(log).toEqual([
    { action: 'transcript.approved', subject: 'Hope' },
    { action: 'transcript.saved', subject: 'Hope' },
  ])
})

/** The public and private addresses that could contain a text with the word Zerubbabel; each returns its body. */
const doors: Record<string, (client: TestClient) => Promise<string>> = {
  'the call': async (client) => (await client.fetch(address(), {})).text(),
  'the file': async (client) => (await client.fetch(app.url + transcriptAddress(uid), {})).text(),
  sync: async (client) => JSON.stringify(await call(sync.pull, { query: {} }, client)),
  'the list': async (client) => JSON.stringify(await call(teachings.list, {}, client)),
  search: async (client) =>
    JSON.stringify(await call(teachings.search, { query: { q: 'Zerubbabel' } }, client)),
  feed: async (client) => (await client.fetch(`${app.url}/feed.xml`, {})).text(),
}
const states = [
  'nothing',
  'draft',
  'approved',
  'approved and a draft',
  'approved and replaced',
  'removed',
  'of a deleted teaching',
] as const

describe.each(states)('a text in the state: %s', (state) => {
  beforeEach(async () => {
    if (state === 'nothing') return
    if (state === 'approved and replaced') {
      await put(vtt.replace('Zerubbabel', 'Mephibosheth'))
      await approve()
    }
    await put(vtt)
    if (state === 'draft') return
    await approve()
    if (state === 'approved and a draft') await put(vtt.replace('Zerubbabel', 'Mephibosheth'))
    if (state === 'removed') await call(transcripts.remove, { params: { id }, query: {} }, person)
    if (state === 'of a deleted teaching') await sql`update teachings set deleted_at = now()`
  })

  test.each(['visitor', 'person'] as const)('is seen by a %s at the doors of its state', async (who) => {
    const client = who === 'visitor' ? visitor : other
    const seen: Record<string, string[]> = {}
    for (const [door, look] of Object.entries(doors)) {
      const text = await look(client)
      const found = ['Zerubbabel', 'Mephibosheth', uid.slice(0, 30)].filter((word) => text.includes(word))
      seen[door] = found.filter((word) => word.length < 20)
    }
    const isPublic = state.startsWith('approved')
    const isDraft = who === 'person' && ['draft', 'removed'].includes(state)
    const both = who === 'person' && ['approved and a draft', 'approved and replaced'].includes(state)
    expect(seen).toEqual({
      'the call': [...(isPublic || isDraft ? ['Zerubbabel'] : []), ...(both ? ['Mephibosheth'] : [])],
      'the file': isPublic ? ['Zerubbabel'] : [],
      sync: [],
      'the list': [],
      search: [],
      feed: [],
    })
  })
})

test('a draft is answered as nothing is', async () => {
  const answers = async () => {
    const [called, served] = [await visitor.fetch(address(), {}), await file()]
    const headers = (response: Response) =>
      [...response.headers].filter(([name]) => !['date', 'x-request-id', 'set-cookie'].includes(name))
    return [
      called.status,
      await called.text(),
      headers(called),
      served.status,
      await served.text(),
      headers(served),
    ]
  }
  const nothing = await answers()
  await put(vtt)
  expect(await answers()).toEqual(nothing)
  expect([nothing[0], nothing[3]]).toEqual([404, 404])
})

test('the file is WebVTT that caches may keep for a minute', async () => {
  await put('Plain & simple. Two.', { type: 'text/plain' })
  await sql`update teachings set duration = '1:00'`
  await approve()
  const response = await file()
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('access-control-allow-origin'),
  ]).toEqual([200, 'text/vtt; charset=utf-8', '*'])
  expect(response.headers.get('cache-control')).toBe('public, max-age=60')
  const text = await response.text()
  expect(text).toMatch(/^WEBVTT\n\nabout-1\n00:00:00\.000 --> 00:00:4\d\.\d{3}\nPlain &amp; simple\.\n/)
  expect(text).toMatch(/--> 00:01:00\.000\nTwo\.\n$/)
  const cached = await fetch(app.url + transcriptAddress(uid), {
    headers: { 'if-none-match': response.headers.get('etag')! },
  })
  expect(cached.status).toBe(304)
})

test('the feed names the text of an episode', async () => {
  await sql`update teachings set audio_url = ${`/audio/${'ab'.repeat(32)}.mp3`}, audio_sha256 = ${'ab'.repeat(32)},
    audio_bytes = 1, audio_mime = 'audio/mpeg'`
  const tags = async () => (await doors['feed']!(visitor)).match(/<podcast:transcript[^>]*>/g)
  await put(vtt)
  expect(await tags()).toBeNull()
  await approve()
  const url = `${app.url}${transcriptAddress(uid)}`
  expect(await tags()).toEqual([`<podcast:transcript url="${url}" type="text/vtt"/>`])
})

test('a backup brings back the draft and the approved text', async () => {
  const admin = await app.signedIn('admin')
  await put(vtt)
  await approve()
  await put('A draft.', { type: 'text/plain' })
  const [before, file] = [await read(person), await (await fetch(app.url + transcriptAddress(uid))).text()]
  const folder = await mkdtemp(path.join(tmpdir(), 'texts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const saved = await savedBackup(admin, path.join(folder, 'saved.zip'))
  const changed = await changedBackup(saved, path.join(folder, 'changed.zip'), ({ tables }) => {
    ;(tables['transcripts']![0]!['sentences'] as { text: string }[])[0]!.text = 'a\u202Eb'
  })
  const elsewhere = await testApp()
  await expect(restore(elsewhere.context, changed)).rejects.toThrow(/transcripts \d+, sentences/)
  await restore(elsewhere.context, saved)
  const [row] = await elsewhere.context.sql`select id, rev, transcript_rev from teachings where uid = ${uid}`
  expect(row!['transcriptRev']).toBe(row!['rev'])
  expect(await readTranscript(elsewhere.context, row!['id'] as number, true)).toEqual(before)
  expect(await (await fetch(elsewhere.url + transcriptAddress(uid))).text()).toBe(file)
})

test('keeps twenty earlier texts', async () => {
  for (let at = 0; at < transcriptLimits.versions + 3; at += 1) {
    const text = { sentences: [{ start: null, end: null, about: false, voice: '', text: `Text ${at}` }] }
    await saveDraft(
      context,
      { id },
      { ...text, language: '', source: 'sftp' },
      { actor: { id: null, name: 'desk' } },
    )
  }
  const { draft, earlier } = await read(person)
  expect([words(draft!), earlier.length]).toEqual(['Text 22', transcriptLimits.versions])
})
