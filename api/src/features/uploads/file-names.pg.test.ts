import { afterEach, describe, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { fileNames, judgedOn } from '@fellowship/schema/testing/file-names'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { formBody, longWav, sendForm } from '../../testing/multipart.ts'
import { sftpApp } from '../../testing/sftp.ts'
import { fileRequests } from '../../testing/ssh-packets.ts'
import { tusClient } from '../../testing/tus.ts'
import { listInbox } from '../inbox/inbox.ts'
import { isFinalName } from '../sftp/drop-paths.ts'

const app = await sftpApp(`${judgedOn}T12:00:00+13:00`)
const { sql } = app.context
const person = await app.signedIn()
const token = (await call(auth.csrfToken, {}, person)).csrfToken
const tus = tusClient(person, token)
const { put } = fileRequests(await app.connect())

afterEach(async () => {
  await sql`delete from teachings`
  await sql`delete from inbox`
})

const kinds = [...new Set(fileNames.map(({ kind }) => kind))]
/** The first and the last name of each kind that a file system can hold; in the nightly run each name. */
const sample = kinds.flatMap((kind) => {
  const possible = fileNames.filter(
    (row) =>
      row.kind === kind &&
      // oxlint-disable-next-line no-control-regex -- no file name holds them
      !/[\u0000-\u001f/\\\ud800-\udfff]/.test(row.name) &&
      row.name.trim() === row.name &&
      Buffer.byteLength(row.name) <= 250 &&
      isFinalName(row.name),
  )
  if (process.env['LONG_JOURNEYS']) return possible
  return ends(possible)
})
const verdictsOf = (rows: typeof fileNames) => rows.map(({ name, published }) => [name, published] as const)
/** Those doors that read the name as the form does take one name of each kind. */
const oneOfEach = process.env['LONG_JOURNEYS']
  ? sample
  : sample.filter(({ kind }, at) => sample[at + 1]?.kind !== kind)

function ends<Row>(rows: readonly Row[]): Row[] {
  return [...new Set([...rows.slice(0, 1), ...rows.slice(-1)])]
}

let seed = 5_000
const recording = () => Buffer.concat([...longWav(20_000, (seed += 1))])

async function publishedFields() {
  const rows = await sql<
    { date: string; speaker: string; title: string; scriptureReference: string | null }[]
  >`
    select date, speaker, title, scripture_reference from teachings where deleted_at is null`
  return rows[0] && [rows[0].date, rows[0].speaker, rows[0].title, rows[0].scriptureReference ?? '']
}
/** The library shows the passage as the title of a teaching without one. */
const asStored = (fields: (typeof fileNames)[number]['published']) =>
  fields && [fields[0], fields[1], fields[2] || fields[3], fields[3]]

test('the sample covers each kind', () => {
  expect(sample.length).toBeGreaterThan(60)
})

test('the web form gets the verdict of a name', async () => {
  const short = fileNames.filter(({ name }) => name.length <= 500)
  const asked = process.env['LONG_JOURNEYS']
    ? short
    : kinds.flatMap((kind) => ends(short.filter((row) => row.kind === kind)))
  const told: unknown[] = []
  for (const { name } of asked) {
    const { parsedData } = await call(uploads.parseFilename, { body: { filename: name } }, person)
    const { date, speaker, title, scriptureReference, isValid } = parsedData
    told.push([name, isValid ? [date, speaker, title, scriptureReference] : undefined])
  }
  expect(told).toEqual(verdictsOf(asked))
})

test.each(verdictsOf(sample))('multipart: %s', async (filename, published) => {
  const body = formBody([
    { name: '_csrf', value: token },
    { name: 'audioFile', filename, type: 'audio/wav', body: [recording()] },
  ])
  const answer = await sendForm(person, '/api/sermons/smart-upload', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(published ? 200 : 400)
  if (!published) expect(answer.body).toMatchObject({ code: 'invalid_input', parsedData: { isValid: false } })
  expect(await publishedFields()).toEqual(asStored(published))
})

let begun = 0
let uploader = { client: person, tus }
/** One person may begin some two hundred uploads an hour. */
async function anUploader() {
  if ((begun += 1) % 100 === 0) {
    const client = await app.signedIn()
    uploader = { client, tus: tusClient(client, (await call(auth.csrfToken, {}, client)).csrfToken) }
  }
  return uploader
}

test.each(verdictsOf(oneOfEach))('tus: %s', async (filename, published) => {
  const { client, tus: program } = await anUploader()
  const bytes = recording()
  const { headers } = await program.create(bytes.length, { filename })
  const id = headers.get('location')!.split('/').at(-1)!
  await program.patch(id, 0, bytes)
  const answer = await call(uploads.finalize, { params: { id }, body: {} }, client).catch((e: unknown) => e)
  if (!published) {
    expect(answer).toMatchObject({ code: 'invalid_input', body: { parsedData: { isValid: false } } })
    await program.remove(id)
  }
  expect(await publishedFields()).toEqual(asStored(published))
})

test.each(verdictsOf(oneOfEach))('SFTP: %s', async (filename, published) => {
  await put(`/${filename}`, recording())
  expect(await publishedFields()).toEqual(asStored(published))
  expect(await listInbox(app.context)).toHaveLength(published ? 0 : 1)
})

describe('a date far ahead', () => {
  const ahead = '2062-11-15'
  const sentence = 'This date is more than a day ahead: 15 November 2062.'
  const fields = { title: 'Hope', speaker: 'John Smith', date: ahead, scriptureReference: '' }
  const form = (parts: Record<string, string>) =>
    sendForm(
      person,
      '/api/sermons/smart-upload',
      formBody([
        ...Object.entries({ _csrf: token, ...parts }).map(([name, value]) => ({ name, value })),
        { name: 'audioFile', filename: 'a.wav', type: 'audio/wav', body: [recording()] },
      ]),
    )

  test('is refused as a form field, published as corrected', async () => {
    const refused = await form(fields)
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', parsedData: { date: ahead, isValid: false } },
    })
    expect(refused.body['error']).toContain(sentence)
    expect(await form({ overrideData: JSON.stringify(fields) })).toMatchObject({ status: 200 })
    expect(await publishedFields()).toEqual([ahead, 'John Smith', 'Hope', ''])
  })

  test('is refused in upload metadata, and published by finalize', async () => {
    const bytes = recording()
    const early = await tus.create(bytes.length, { filename: 'a.wav', ...fields })
    expect(early).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(early.body['error']).toContain(sentence)
    const { headers } = await tus.create(bytes.length, { filename: `${ahead}_John-Smith"Hope".wav` })
    const id = headers.get('location')!.split('/').at(-1)!
    await tus.patch(id, 0, bytes)
    const finalize = (body: object) => call(uploads.finalize, { params: { id }, body }, person)
    await expect(finalize({})).rejects.toMatchObject({
      code: 'invalid_input',
      sentence: expect.stringContaining(sentence) as string,
    })
    await finalize({ date: ahead })
    expect(await publishedFields()).toEqual([ahead, 'John Smith', 'Hope', ''])
  })

  test('waits in the Inbox until an administrator confirms it', async () => {
    await put(`/${ahead}_John-Smith"Hope".wav`, recording())
    const [item] = await listInbox(app.context)
    expect(item).toMatchObject({ reason: expect.stringContaining(sentence) as string, parsedData: fields })
    const admin = await app.signedIn('admin')
    await call(inbox.publish, { params: { id: item!.id }, body: fields }, admin)
    expect(await publishedFields()).toEqual([ahead, 'John Smith', 'Hope', ''])
  })
})

test('a form field answers the doubt about its part alone', async () => {
  const send = (parts: Record<string, string>) =>
    sendForm(
      person,
      '/api/sermons/smart-upload',
      formBody([
        ...Object.entries({ _csrf: token, ...parts }).map(([name, value]) => ({ name, value })),
        {
          name: 'audioFile',
          filename: '2026-11-22_John-Smith-2"Hope".wav',
          type: 'audio/wav',
          body: [recording()],
        },
      ]),
    )
  expect(await send({ title: 'Hope' })).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await send({ speaker: 'Jo\ufffdn' })).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await send({ speaker: 'John Smith II' })).toMatchObject({ status: 200 })
})
