import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { hostileFiles, mutatedFormats, mutatedRecordings } from '@fellowship/api/testing/hostile-files'
import { fixture, formBody, sendForm, storedFiles } from '@fellowship/api/testing/multipart'
import { filesForgotten, openDescriptors, openFilesUnder } from '@fellowship/api/testing/open-files'
import { sftpApp } from '@fellowship/api/testing/sftp'
import { tusClient } from '@fellowship/api/testing/tus'

const app = await sftpApp()
const { sql } = app.context
const uploader = async () => {
  const person = await app.signedIn()
  const { csrfToken: token } = await call(auth.csrfToken, {}, person)
  return { person, token, tus: tusClient(person, token) }
}
let { person, token, tus } = await uploader()
const soundDesk = await app.connect()

const fields = { title: 'Hope', speaker: 'Ana', date: '2026-11-22', scriptureReference: 'John 3' }

/** Sends a file through an entry point; returns 'kept', the code of a refusal, or a description of a fault. */
type EntryPoint = (bytes: Buffer) => Promise<string>

const smartUpload: EntryPoint = async (bytes) => {
  const parts = [
    ...Object.entries({ ...fields, title: randomUUID() }).map(([name, value]) => ({ name, value })),
    { name: 'audioFile', filename: 'a.mp3', body: [bytes] },
  ]
  const { status, body } = await sendForm(person, '/api/sermons/smart-upload', formBody(parts), {
    headers: { 'x-csrf-token': token },
  })
  if (status !== 200) return status < 500 ? String(body['code']) : `answer ${status}`
  await sql`delete from teachings where id = ${(body['teaching'] as { id: number }).id}`
  return 'kept'
}

let begun = 0
const resumable: EntryPoint = async (bytes) => {
  // One person may begin a few hundred uploads an hour, and the clock has to stay within the SFTP window.
  if ((begun += 1) % 200 === 0) ({ person, token, tus } = await uploader())
  if (bytes.length === 0) return (await tus.create(0)).body['code'] as string
  const jobId = uuidv7(Date.now())
  await tus.create(bytes.length, { jobId, filename: 'a.mp3', ...fields, title: randomUUID() })
  const { status, body } = await tus.patch(jobId, 0, bytes)
  // Its bytes wait for the person's answer.
  if (['cut_off', 'sounds_wrong'].includes(String(body['code']))) await tus.remove(jobId)
  return status === 204 ? 'kept' : status < 500 ? String(body['code']) : `answer ${status}`
}

let sent = 0
const sftp: EntryPoint = async (bytes) => {
  const title = `Hope ${(sent += 1)}`
  const path = `/2026-11-22_Ana-Smith"${title}".mp3`
  const handle = await soundDesk.ask<Buffer>((wire, done) => wire.open(path, 'w', done))
  for (let at = 0; at < bytes.length; at += 32_768) {
    const length = Math.min(32_768, bytes.length - at)
    await soundDesk.ask((wire, done) => wire.write(handle, bytes, at, length, at, done))
  }
  await soundDesk.ask((wire, done) => wire.close(handle, done))
  const [row] = await sql<
    { code: string }[]
  >`select code from inbox order by arrived_at desc, id desc limit 1`
  await sql`delete from inbox`
  const [kept] = await sql`delete from teachings where title = ${title} returning id`
  if (kept) return 'kept'
  // Refused files stay in the folder, whose number of files is limited; a file shorter than its header stays too, as the
  // rest may come.
  await soundDesk.ask((wire, done) => wire.unlink(path, done))
  return row?.code ?? 'waits'
}

const entryPoints: [string, EntryPoint][] = [
  ['a form', smartUpload],
  ['a resumable upload', resumable],
  ['SFTP', sftp],
]

/** No byte of a refused file is left, and the site answers. */
async function expectClean(): Promise<void> {
  expect((await storedFiles(app.dataDir)).staging).toEqual([])
  expect(await readdir(`${app.dataDir}/uploads`).catch(() => [])).toEqual([])
  expect((await fetch(`${app.url}/api/health/live`)).status).toBe(200)
}

test('the entry points refuse every hostile file', async () => {
  const wrong: string[] = []
  const allowed = ['unsupported_audio', 'invalid_input', 'upload_damaged', 'cut_off', 'sounds_wrong', 'waits']
  const sendShare = async ([way, entryPoint]: (typeof entryPoints)[number], which: number) => {
    for (const [at, [name, bytes]] of hostileFiles.entries()) {
      // All use one reader, whose test reads each file. A file of a megabyte goes to one of them, with FUZZED_FILES to all.
      if (bytes.length > 100_000 && at % entryPoints.length !== which && !process.env['FUZZED_FILES'])
        continue
      const outcome = await entryPoint(bytes)
      if (!allowed.includes(outcome)) wrong.push(`${name} by ${way}: ${outcome}`)
    }
  }
  // One person at each entry point at the same time.
  await Promise.all(entryPoints.map(sendShare))
  expect(wrong).toEqual([])
  await expectClean()
}, 240_000)

test('a recording written anew and then refused leaves nothing', async () => {
  // Its header declares a tenth of a second: a person is asked, and the file under a true header is not kept.
  const bytes = await fixture('vbr-xing.mp3')
  bytes.writeUInt32BE(4, bytes.indexOf('Xing') + 8)
  expect(await sftp(bytes)).toBe('sounds_wrong')
  await expectClean()
})

test('every entry point accepts or refuses mutated recordings', async () => {
  const outcomes = new Map<string, number>()
  const wrong: string[] = []
  // Of this sequence 1,000 are judged by audio-reader.test.ts: the entry points need some of each format and each outcome.
  const count = Number(process.env['FUZZED_FILES'] ?? 250)
  const seed = Number(process.env['FUZZED_SEED'] ?? 11)
  const allowed = [
    'kept',
    'unsupported_audio',
    'duplicate',
    'invalid_input',
    'cut_off',
    'sounds_wrong',
    'waits',
  ]
  const usual = ['cut_off', 'kept', 'sounds_wrong', 'unsupported_audio', 'waits']
  const sendShare = async ([way, entryPoint]: (typeof entryPoints)[number], which: number) => {
    let at = -1
    for await (const [name, bytes] of mutatedRecordings(count, seed)) {
      at += 1
      if (entryPointOf(at) !== which) continue
      const outcome = await entryPoint(bytes)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (!allowed.includes(outcome)) wrong.push(`${name} by ${way}: ${outcome}`)
    }
  }
  const before = openDescriptors().length
  const forgotten = await filesForgotten(() => Promise.all(entryPoints.map(sendShare)))
  if (process.env['FUZZED_FILES']) {
    const memory = `${Math.round(process.memoryUsage.rss() / 1e6)} MB, descriptors ${before} and then ${openDescriptors().length}`
    console.info(`${count} mutated recordings from ${seed}:`, Object.fromEntries(outcomes), memory)
  }
  expect(wrong).toEqual([])
  expect([...outcomes.values()].reduce((sum, each) => sum + each, 0)).toBe(count)
  expect(outcomes.get('unsupported_audio')).toBeGreaterThan(0)
  if (count >= 250) expect([...outcomes.keys()].toSorted()).toEqual(expect.arrayContaining(usual))
  await expectClean()
  expect(openFilesUnder(app.dataDir)).toEqual([])
  expect(forgotten).toEqual([])
}, 7_200_000)

/** The formats take turns, and so do the entry points of each format. */
const entryPointOf = (at: number) => (at + Math.floor(at / mutatedFormats)) % entryPoints.length
