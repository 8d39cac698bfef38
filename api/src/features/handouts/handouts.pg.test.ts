import { readdir, utimes } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { audit } from '@fellowship/schema/audit/audit.contract'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { handoutAddress } from '@fellowship/schema/handouts/handout-file'
import { handouts } from '@fellowship/schema/handouts/handouts.contract'
import { handoutLimits as limits } from '@fellowship/schema/handouts/handouts.limits'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call } from '@fellowship/sync/call/call'
import { everything } from '../../testing/everything.ts'
import { formBody, sendForm } from '../../testing/multipart.ts'
import { samplePdf } from '../../testing/sample-pdf.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { refusal, type TestClient } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { purgeBin } from '../teachings/teachings.ts'
import { sweepHandouts } from './handouts.ts'

const app = await testApp()
const { context } = app
const { sql } = context
const visitor: TestClient = app.client()
const person: TestClient = await app.signedIn()
const admin: TestClient = await app.signedIn('admin')
const { csrfToken } = await call(auth.csrfToken, {}, person)
const pdf = samplePdf()
const picture = (width: number, metadata = {}) =>
  sharp({ create: { width, height: 40, channels: 3, background: '#205040' } }).withExif(metadata)
const jpeg = await sharp(await picture(600).toFormat('jpeg').toBuffer())
  .jpeg()
  .toBuffer()

let id: number
let uid: string
beforeEach(async () => {
  await sql`delete from teachings`
  await sql`delete from audit_log`
  for await (const { name } of context.storage.list('handouts'))
    await context.storage.remove('handouts', name)
  const [row] = await sql<{ id: number; uid: string }[]>`
    insert into teachings (title, speaker, date, year) values ('Hope', 'Ruth', '2026-11-22', 2026) returning id, uid`
  ;({ id, uid } = row!)
})

const add = (bytes: Buffer, { name = 'Outline.pdf', client = person, headers = {} } = {}) =>
  call(
    handouts.add,
    { params: { id }, query: {}, files: { handout: new File([new Uint8Array(bytes)], name) }, headers },
    client,
  )
const remove = (hash: string, client = person) =>
  call(handouts.remove, { params: { id, hash }, query: { uid } }, client)
const only = ({ handouts: all }: Teaching) => all![0]!
const open = (pathname: string, headers = {}) => fetch(app.url + pathname, { headers })
const stored = () => readdir(path.join(app.dataDir, 'handouts'))

describe('refuses, and changes nothing', () => {
  test.each<[string, Buffer, number, RegExp]>([
    ['nothing', Buffer.alloc(0), 415, /no PDF, JPEG, PNG or WebP/],
    [
      'a page named PDF',
      Buffer.from('<!doctype html><script>alert(1)</script>%PDF-1.7 %%EOF'),
      415,
      /no PDF/,
    ],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, /no PDF/],
    ['a Word document', Buffer.from('PK\u0003\u0004 word/document.xml'), 415, /Export it as a PDF/],
    ['a sound', Buffer.from('RIFF\0\0\0\0WAVEfmt '), 415, /no PDF/],
    ['half a PDF', pdf.subarray(0, pdf.length - 40), 400, /end of this PDF is missing/],
    ['a PDF followed by zeros', Buffer.concat([pdf, Buffer.alloc(2_000)]), 400, /end of this PDF/],
    ['the end of a PDF alone', pdf.subarray(20), 415, /no PDF/],
    ['an encrypted PDF', samplePdf('a', { trailer: '/Encrypt 9 0 R' }), 400, /protected by encryption/],
    ['one encrypted in place', samplePdf('a', { trailer: '/Encrypt<</Filter/Standard>>' }), 400, /protected/],
    ['half a picture', jpeg.subarray(0, 300), 400, /cannot be read/],
    ['a bomb', plainPng(9_000, 9_000), 400, /megapixels/],
    ['too many bytes', Buffer.concat([pdf, Buffer.alloc(limits.bytes)]), 413, /at most 10 MB/],
  ])('%s', async (_, bytes, status, sentence) => {
    const before = await everything(app)
    const error = await refusal(add(bytes))
    expect([error.status, error.sentence]).toEqual([status, expect.stringMatching(sentence)])
    expect(await everything(app)).toEqual(before)
  })

  test('endless bytes without a length', async () => {
    const before = await everything(app)
    let sent = 0
    function* endless() {
      yield pdf
      for (; sent < 400; sent += 1) yield Buffer.alloc(256 * 1024)
    }
    const token = { name: '_csrf', value: csrfToken }
    const body = formBody([token, { name: 'handout', filename: 'a.pdf', body: endless() }])
    expect(await sendForm(person, `/api/teachings/${id}/handouts`, body)).toMatchObject({ status: 413 })
    expect(sent).toBeLessThan(400)
    expect(await everything(app)).toEqual(before)
  })

  test('forms without a token, without a file, or with another part', async () => {
    const before = await everything(app)
    const token = { name: '_csrf', value: csrfToken }
    const file = (name: string) => ({ name, filename: 'a.pdf', body: [pdf] })
    for (const [status, parts] of [
      [403, [file('handout')]],
      [400, [token]],
      [400, [token, file('audioFile')]],
      [400, [token, file('handout'), file('handout')]],
    ] as const)
      expect(await sendForm(person, `/api/teachings/${id}/handouts`, formBody(parts))).toMatchObject({
        status,
      })
    expect(await everything(app)).toEqual(before)
  })

  test('the sixth handout', async () => {
    for (let at = 0; at < limits.most; at += 1) await add(samplePdf(`Part ${at}`))
    const before = await everything(app)
    const error = await refusal(add(samplePdf('Part 6')))
    expect([error.status, error.sentence]).toEqual([400, expect.stringMatching(/at most 5/)])
    expect(await everything(app)).toEqual(before)
  })

  test('teachings in the bin and unknown ones', async () => {
    await call(teachings.remove, { params: { id }, query: {} }, person)
    expect((await refusal(add(pdf))).status).toBe(404)
    id = 999_999
    expect((await refusal(add(pdf))).status).toBe(404)
    expect(await stored()).toEqual([])
  })

  test('removal of a handout that is not there', async () => {
    expect((await refusal(remove('ab'.repeat(32)))).status).toBe(404)
    expect((await refusal(remove('../secret'))).status).toBe(400)
  })
})

/** Where the hash of a handout, or its bytes, could be seen. */
const doors: Record<string, (client: TestClient, address: string) => Promise<string>> = {
  file: async (client, address) => String((await client.fetch(app.url + address, {})).status),
  list: async (client) => JSON.stringify(await call(teachings.list, {}, client)),
  sync: async (client) => JSON.stringify(await call(sync.pull, { query: {} }, client)),
}
const states = {
  attached: () => Promise.resolve(),
  removed: async (hash: string) => void (await remove(hash)),
  'of a deleted teaching': async () =>
    void (await call(teachings.remove, { params: { id }, query: {} }, person)),
  'of a restored teaching': async () => {
    await call(teachings.remove, { params: { id }, query: {} }, person)
    await call(bin.restore, { params: { id } }, admin)
  },
}

describe.each(Object.entries(states))('a handout in the state: %s', (state, enter) => {
  test.each(Object.entries({ visitor, person, admin }))(
    'is seen by a %s at the doors of it',
    async (_, client) => {
      const handout = only(await add(pdf))
      const address = handoutAddress(handout)
      await enter(handout.hash)
      const isPublic = state === 'attached' || state === 'of a restored teaching'
      const seen: Record<string, boolean> = {}
      for (const [door, look] of Object.entries(doors))
        seen[door] = /^200$|[0-9a-f]{64}/.test(
          (await look(client, address)).replaceAll(/"sha256":"\w+"/g, ''),
        )
      expect(seen).toEqual({ file: isPublic, list: isPublic, sync: isPublic })
    },
  )
})

test.each<[string, TestClient, number]>([
  ['a visitor', visitor, 401],
  ['a signed-in person', person, 200],
  ['an administrator', admin, 200],
])('%s may change handouts, or not', async (_, client, status) => {
  const { hash } = only(await add(pdf))
  const statusOf = (work: Promise<unknown>) =>
    work.then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  expect([await statusOf(add(jpeg, { client })), await statusOf(remove(hash, client))]).toEqual([
    status,
    status,
  ])
})

test('a file is served as it arrived, for the viewer of the browser', async () => {
  const handout = only(await add(pdf, { name: 'Ōtāne: notes.PDF' }))
  expect(handout).toEqual({ hash: handout.hash, name: 'Ōtāne notes.pdf', type: 'pdf', bytes: pdf.length })
  const address = handoutAddress(handout)
  const answer = await open(address)
  expect(Buffer.from(await answer.arrayBuffer()).equals(pdf)).toBe(true)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="Otane notes.pdf"; filename*=UTF-8''%C5%8Ct%C4%81ne%20notes.pdf`,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/^default-src 'none'/) as string,
  })
  expect((await open(address, { range: 'bytes=0-3' })).status).toBe(206)
  expect((await open(address, { 'if-none-match': `"${handout.hash}"` })).status).toBe(304)
  expect((await open(address.replace('.pdf', '.png'))).status).toBe(404)
  expect((await open(`/handouts/${'ab'.repeat(32)}.pdf`)).status).toBe(404)
  expect((await fetch(app.url + address, { method: 'POST' })).status).toBe(405)
})

test.each(['jpeg', 'png', 'webp'] as const)('the place is taken out of a %s', async (format) => {
  const withPlace = await picture(80, { IFD3: { GPSLatitude: '40/1 10/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toFormat(format)
    .toBuffer()
  const handout = only(await add(withPlace, { name: 'Map' }))
  const bytes = Buffer.from(await (await open(handoutAddress(handout))).arrayBuffer())
  const { exif, width, height, format: kept } = await sharp(bytes).metadata()
  expect([exif, width, height, kept]).toEqual([undefined, 40, 80, format])
})

test('a picture without metadata is stored as it arrived', async () => {
  const handout = only(await add(jpeg, { name: 'Map.pdf' }))
  expect(handout).toMatchObject({ name: 'Map.jpg', type: 'jpg', bytes: jpeg.length })
  expect(Buffer.from(await (await open(handoutAddress(handout))).arrayBuffer()).equals(jpeg)).toBe(true)
})

test('a file that is added twice is one handout', async () => {
  const first = await add(pdf)
  expect(await add(pdf, { name: 'Again.pdf' })).toEqual(first)
  const lines = await call(audit.list, {}, admin)
  expect(JSON.stringify(lines).match(/handout\.added/g)?.length).toBe(1)
})

test('a repeated request does not bring a removed handout back', async () => {
  const headers = { 'idempotency-key': '0198c2f4-0000-4000-8000-000000000007' }
  const first = await add(pdf, { headers })
  await remove(only(first).hash)
  expect(await add(pdf, { headers })).toEqual(first)
  expect((await call(teachings.list, {}, person))[0]!.handouts).toBeNull()
  expect((await refusal(add(jpeg, { headers }))).status).toBe(422)
})

test('an edit from before a handout is no conflict', async () => {
  const [{ rev: baseRev }] = (await call(teachings.list, {}, person)) as [Teaching]
  const { rev } = await add(pdf)
  expect(rev).toBeGreaterThan(baseRev)
  const body = { title: 'Peace', speaker: 'Ruth', date: '2026-11-22', scriptureReference: '', baseRev }
  const edited = await call(teachings.update, { params: { id }, body }, person)
  expect([edited.title, edited.handouts!.length]).toEqual(['Peace', 1])
})

describe('the sweep', () => {
  const age = async () => {
    for (const name of await stored()) {
      const at = new Date(context.clock.now().getTime() - 2 * 60 * 60_000)
      await utimes(path.join(app.dataDir, 'handouts', name), at, at)
    }
  }
  const removedOne = async () => {
    const { hash } = only(await add(pdf))
    await add(jpeg)
    await remove(hash)
  }

  test('removes unused files of more than an hour', async () => {
    await removedOne()
    expect(await sweepHandouts(context)).toBe(0)
    await age()
    expect(await sweepHandouts(context)).toBe(1)
    expect(await stored()).toEqual([expect.stringMatching(/\.jpg$/)])
  })

  test('waits for a backup that may read them', async () => {
    await removedOne()
    await age()
    await sql`insert into backups (id, kind, started_at, actor, file_name, bytes, files, result, process)
      values (gen_random_uuid(), 'manual', ${context.clock.now()}, 'Ruth', 'a.zip', 1, 1, 'running', 'p')`
    expect(await sweepHandouts(context)).toBe(0)
    await sql`delete from backups`
    expect(await sweepHandouts(context)).toBe(1)
  })

  test('keeps those of the bin, and removes them with their teaching', async () => {
    await add(pdf)
    await call(teachings.remove, { params: { id }, query: {} }, person)
    await age()
    expect(await sweepHandouts(context)).toBe(0)
    await sql`update teachings set deleted_at = now() - interval '31 days'`
    await purgeBin(context)
    expect(await sweepHandouts(context)).toBe(1)
  })
})
