import { createHash, randomBytes } from 'node:crypto'
import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { anotherProcess } from '../../testing/another-process.ts'
import { fixture, longWav } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'
import { cleanUpAudio } from '../audio/storage-care.ts'
import { columnsOf, insertTeaching } from '../teachings/teachings.ts'
import { finalizeUpload } from './upload-finalize.ts'
import { clearUnfinishedUploads } from './uploads.ts'

const app = await testApp()
const other = await anotherProcess(app)
const { sql } = app.context
const person = await app.signedIn('user')
const token = (await call(auth.csrfToken, {}, person)).csrfToken
const tus = tusClient(person, token)
const tusThere = tusClient(other.as(person), token)
const mp3 = await fixture('cbr.mp3')
const named = (title: string) => ({
  title,
  speaker: 'John Smith',
  date: '2026-11-22',
  scriptureReference: '',
})

test('one of two processes takes the same bytes', async () => {
  const bytes = Buffer.concat([...longWav(3_000_000, 1)])
  for (let round = 0; round < 5; round += 1) {
    const id = uuidv7(Date.now())
    expect((await tus.create(bytes.length, { jobId: id, filename: 'a.wav' })).status).toBe(201)
    const answers = await Promise.all([tus.patch(id, 0, bytes), tusThere.patch(id, 0, bytes)])
    const [first, second] = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(first).toBe(204)
    expect([409, 423]).toContain(second)
    expect((await readFile(path.join(app.dataDir, 'uploads', id))).equals(bytes)).toBe(true)
    await tus.remove(id)
  }
})

test('continuing at another process ends a stalled request', async () => {
  const id = uuidv7(Date.now())
  await tus.create(mp3.length, { jobId: id, filename: 'a.mp3' })
  let end = () => {}
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(mp3.subarray(0, 1000)))
      end = () => controller.close()
    },
  })
  const stalled = tus.patch(id, 0, body).catch(() => undefined)
  await expect
    .poll(() =>
      stat(path.join(app.dataDir, 'uploads', id)).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    .toBe(1000)
  const { status, offset } = await tusThere.head(id)
  expect([status, offset]).toEqual([200, 1000])
  expect((await tusThere.patch(id, 1000, mp3.subarray(1000))).status).toBe(204)
  end()
  await stalled
  const { teaching } = await call(uploads.finalize, { params: { id }, body: named('Hope') }, other.as(person))
  expect(teaching.uid).toBe(id)
})

test('a lost lock does not change the answer', async () => {
  const [{ id: userId }] = (await sql`select id from users`) as unknown as [{ id: number }]
  const replaced = await sql.begin((tx) => insertTeaching(tx, columnsOf(named('Replaced'))))
  for (const [at, input] of [
    named('Lost lock'),
    { ...named('New words'), teachingId: replaced.id },
  ].entries()) {
    const bytes = Buffer.concat([...longWav(100_000, 10 + at)])
    const id = uuidv7(Date.now())
    await tus.create(bytes.length, { jobId: id, filename: 'a.wav' })
    await tus.patch(id, 0, bytes)
    let first: unknown
    const withoutLock = {
      ...app.context,
      locks: { ...app.context.locks, run: <T>(_key: string, work: () => Promise<T>) => work() },
      storage: {
        ...app.context.storage,
        async stagePartial(name: string) {
          const staged = await app.context.storage.stagePartial(name)
          const { teaching } = await call(uploads.finalize, { params: { id }, body: input }, other.as(person))
          first = teaching
          // Later changes must not be overwritten.
          const later = { ...input, speaker: 'Tane Mahuta', baseRev: teaching.rev }
          await call(teachings.update, { params: { id: teaching.id }, body: later }, person)
          return staged
        },
      },
    }
    expect(await finalizeUpload(withoutLock, userId, id, input)).toEqual(first)
    const rows = await sql`select speaker from teachings where title = ${input.title}`
    expect(rows).toEqual([{ speaker: 'Tane Mahuta' }])
  }
})

test('finalizing at two processes creates one teaching', async () => {
  const bytes = Buffer.concat([...longWav(200_000, 2)])
  const id = uuidv7(Date.now())
  await tus.create(bytes.length, { jobId: id, filename: 'a.wav' })
  await tus.patch(id, 0, bytes)
  const body = named('Twice')
  const answers = await Promise.all(
    [person, other.as(person)].map((client) => call(uploads.finalize, { params: { id }, body }, client)),
  )
  expect(answers[0]!.teaching).toEqual(answers[1]!.teaching)
})

test('a cleanup ignores a recording that is arriving elsewhere', async () => {
  const bytes = Buffer.concat([...longWav(200_000, 3)])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = path.join(app.dataDir, 'audio', `${sha256}.wav`)
  // Left there two days ago, without a reference.
  await writeFile(file, bytes)
  const old = new Date(Date.now() - 2 * 86_400_000)
  await utimes(file, old, old)
  const id = uuidv7(Date.now())
  await tus.create(bytes.length, { jobId: id, filename: 'a.wav' })
  await tus.patch(id, 0, bytes)
  const later = { now: () => new Date(Date.now() + 2 * 86_400_000) }
  const isFinalizing = () => sql<{ waiting: number }[]>`
    select count(*)::int as waiting from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like '%sync_alloc%'`
  let finalizing: Promise<unknown> | undefined
  let cleaning: Promise<{ deleted: string[] }> | undefined
  await sql.begin(async (tx) => {
    // Another writer is faster: the recording is stored, its teaching not yet written.
    await tx`select 1 from sync_clock for update`
    finalizing = call(uploads.finalize, { params: { id }, body: named('Clean') }, person)
    await expect.poll(async () => (await isFinalizing())[0]!.waiting).toBe(1)
    cleaning = cleanUpAudio({ ...other.context, clock: later }, null)
    await expect
      .poll(
        () => sql`select 1 from pg_stat_activity where query like '%lock_wanted%'
      and datname = current_database()`,
      )
      .not.toHaveLength(0)
  })
  await finalizing
  expect((await cleaning!).deleted).toEqual([])
  expect((await readFile(file)).equals(bytes)).toBe(true)
})

test('a starting process keeps files that others are storing', async () => {
  const staged = await app.context.storage.stage()
  await staged.write([randomBytes(1000)])
  const name = `${'ab'.repeat(32)}.mp3`
  const settled = await app.context.storage.settle(await app.context.storage.stage(), 'audio', name)
  await clearUnfinishedUploads(other.context)
  expect((await stat(staged.path)).size).toBe(1000)
  expect((await stat(path.join(app.dataDir, 'audio', name))).size).toBe(0)
  await settled.undo()
  await staged.discard()
})

test('three whole uploads do not block a fourth', async () => {
  const columns = columnsOf(named('Target'))
  const target = await sql.begin((tx) => insertTeaching(tx, columns))
  const ids: string[] = []
  for (let at = 0; at < 3; at += 1) {
    const bytes = Buffer.concat([...longWav(60_000, 10 + at)])
    const id = uuidv7(Date.now())
    ids.push(id)
    expect((await tus.create(bytes.length, { jobId: id, filename: 'a.wav' })).status).toBe(201)
    expect((await tus.patch(id, 0, bytes)).status).toBe(204)
    const body = { ...named('Changed'), teachingId: target.id, baseRev: target.rev - 1 }
    expect((await refusal(call(uploads.finalize, { params: { id }, body }, person))).code).toBe(
      'revision_conflict',
    )
  }
  const arriving: string[] = []
  for (let at = 0; at < 3; at += 1) {
    const id = uuidv7(Date.now())
    arriving.push(id)
    expect((await tus.create(1000, { jobId: id, filename: 'b.mp3' })).status).toBe(201)
  }
  expect((await tus.create(1000, { jobId: uuidv7(Date.now()), filename: 'c.mp3' })).body['code']).toBe(
    'too_many_uploads',
  )
  for (const id of [...ids, ...arriving]) await tus.remove(id)
  expect((await call(teachings.list, {}, person)).map(({ title }) => title)).toContain('Target')
})
