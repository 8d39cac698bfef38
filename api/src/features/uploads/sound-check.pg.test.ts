import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call } from '@fellowship/sync/call/call'
import { copyProcess } from '../../machine/audio/copy/copy-process.ts'
import { formBody, sendForm, type FormPart } from '../../testing/multipart.ts'
import { recordSource, recordSpeech } from '../../testing/recordings.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'
import { copyWorker } from '../copies/copy-worker.ts'
import { receiveArrival } from '../inbox/inbox.ts'

const app = await testApp()
const person = await app.signedIn()
const admin = await app.signedIn('admin')
const { csrfToken } = await call(auth.csrfToken, {}, person)
const tus = tusClient(person, csrfToken)
const copying = copyProcess({ niceness: 0 })

const silent = 'anullsrc=r=44100:cl=mono,atrim=end=3'
const tooLoud = { seconds: 4, filter: 'volume=40dB,aformat=sample_fmts=s16' }
/** One fault and one container each, and the words of the question about it. */
const recordings: readonly (readonly [string, RegExp, (file: string) => Promise<void>])[] = [
  ['silent.m4a', /no sound in it/, (file) => recordSource(file, silent)],
  ['clipped.mp3', /It is clipped/, (file) => recordSpeech(file, tooLoud)],
  ['hidden.wav', /Its header says 0:02, but 0:06 of sound are there/, recordHidden],
]

/** All doors ask the same function, whatever the container: in the nightly run each recording comes to all of them. */
const atEveryDoor = process.env['LONG_JOURNEYS'] ? recordings.map(([name]) => name) : ['clipped.mp3']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sound-'))
})
afterAll(async () => {
  copying.close()
  await rm(folder, { recursive: true, force: true })
})

async function recordHidden(file: string): Promise<void> {
  await recordSpeech(file, { seconds: 6, output: ['-c:a', 'pcm_s16le'] })
  const bytes = await readFile(file)
  bytes.writeUInt32LE(192_000, bytes.indexOf('data') + 4)
  await writeFile(file, bytes)
}

test.each(recordings)('%s is asked about, one of them at every door', async (name, words, make) => {
  const file = path.join(folder, name)
  await make(file)
  // A tag of its own for each door, or they would be one recording.
  const variant = async (seed: number) => Buffer.concat([await readFile(file), Buffer.alloc(8 * seed)])
  const title = name.replace('.', ' ')
  const asked = {
    code: 'sounds_wrong',
    error: expect.stringMatching(words) as string,
    reasons: [expect.stringMatching(words) as string],
  }

  const fields = { title, speaker: 'Ann Lee', date: '2026-11-22' }
  const parts = (body: Buffer, more: object): FormPart[] => [
    ...Object.entries({ ...fields, ...more }).map(([part, value]) => ({ name: part, value: String(value) })),
    { name: 'audioFile', filename: name, body: [body] },
  ]
  const send = async (body: Buffer, more = {}, target = '/api/sermons/smart-upload', method = 'POST') =>
    sendForm(person, target, formBody(parts(body, more)), {
      method,
      headers: { 'x-csrf-token': csrfToken },
    })
  const unanswered = { acceptSound: false }
  expect(await send(await variant(0), unanswered)).toMatchObject({ status: 422, body: asked })
  const published = await send(await variant(0), { acceptSound: true })
  expect(published.status).toBe(200)
  const { id, uid, duration } = published.body['teaching'] as Teaching
  if (name.startsWith('hidden')) expect(duration).toBe('0:06')

  if (atEveryDoor.includes(name)) {
    const replace = [`/api/teachings/${id}`, 'PUT'] as const
    expect(await send(await variant(1), unanswered, ...replace)).toMatchObject({ status: 422, body: asked })
    expect((await send(await variant(1), { acceptSound: true }, ...replace)).status).toBe(200)

    const bytes = await variant(2)
    const created = await tus.create(bytes.length, { filename: name })
    const upload = created.headers.get('location')!.split('/').at(-1)!
    await tus.patch(upload, 0, bytes)
    const finalize = (more: object) =>
      tus.send(
        'POST',
        `/api/uploads/${upload}/finalize`,
        { 'content-type': 'application/json' },
        Buffer.from(JSON.stringify({ ...fields, title: `${title} by tus`, ...more })),
      )
    expect(await finalize(unanswered)).toMatchObject({ status: 422, body: asked })
    expect((await finalize({ acceptSound: true })).status).toBe(200)

    const filename = `2026-11-22_Ann-Lee"${title} by SFTP"${path.extname(name)}`
    const dropped = path.join(app.context.storage.inbox.dropFolder, filename)
    await writeFile(dropped, await variant(3))
    const arrival = { filename, file: dropped, bytes: (await variant(3)).length }
    expect((await receiveArrival(app.context, arrival)).outcome).toBe('inbox')
    const { items } = await call(inbox.list, {}, admin)
    const item = items.find((other) => other.filename === filename)!
    expect(item).toMatchObject({ reason: expect.stringMatching(words) as string, soundsWrong: true })
    const publish = (more: object) =>
      call(
        inbox.publish,
        { params: { id: item.id }, body: { ...fields, title: `${title} by SFTP`, ...more } },
        admin,
      )
    await expect(publish({})).rejects.toMatchObject({ code: 'sounds_wrong' })
    await publish({ acceptSound: true })
  }

  if (name.startsWith('hidden')) return
  await copyWorker(app.context, { copying }).runAll()
  const { notes } = await call(copies.sounds, {}, person)
  const fault = name.startsWith('silent') ? 'no_sound' : 'clipped'
  expect(notes.find((note) => note.uid === uid)?.faults).toContain(fault)
})

test('a program that does not know the question is not asked', async () => {
  const file = path.join(folder, 'unasked.wav')
  await recordSource(file, silent)
  const parts: FormPart[] = [
    { name: 'title', value: 'Unasked' },
    { name: 'speaker', value: 'Ann Lee' },
    { name: 'date', value: '2026-11-22' },
    { name: 'audioFile', filename: 'unasked.wav', body: [await readFile(file)] },
  ]
  const headers = { 'x-csrf-token': csrfToken }
  const answer = await sendForm(person, '/api/sermons/smart-upload', formBody(parts), { headers })
  expect(answer.status).toBe(200)
})

test('good recordings are published unasked', async () => {
  const file = path.join(folder, 'good.m4a')
  await recordSpeech(file, { seconds: 4 })
  const parts: FormPart[] = [
    { name: 'title', value: 'Good' },
    { name: 'speaker', value: 'Ann Lee' },
    { name: 'date', value: '2026-11-22' },
    { name: 'audioFile', filename: 'good.m4a', body: [await readFile(file)] },
  ]
  const answer = await sendForm(person, '/api/sermons/smart-upload', formBody(parts), {
    headers: { 'x-csrf-token': csrfToken },
  })
  expect(answer.status).toBe(200)
  expect(await call(teachings.list, {}, person)).toContainEqual(expect.objectContaining({ title: 'Good' }))
})
