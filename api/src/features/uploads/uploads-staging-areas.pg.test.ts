import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { idleUploadDays, unfinalizedUploadDays } from '@fellowship/schema/uploads/uploads.limits'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { clusterNode, type ClusterNode } from '../../cluster/cluster.ts'
import { anotherProcess } from '../../testing/another-process.ts'
import { longWav } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'
import { sweepUploads } from './upload-sweep.ts'

// Two processes with a data folder each, as on two machines.
const app = await testApp()
const folder = await mkdtemp(path.join(tmpdir(), 'staging-area-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const other = await anotherProcess(app, folder)
const { sql } = app.context
const person = await app.signedIn('user')
const token = (await call(auth.csrfToken, {}, person)).csrfToken
const here = tusClient(person, token)
const there = tusClient(other.as(person), token)

let seed = 100
const aRecording = () => Buffer.concat([...longWav(200_000, (seed += 1))])
const named = (title: string) => ({
  title,
  speaker: 'John Smith',
  date: '2026-11-22',
  scriptureReference: '',
})
const filesOf = (dataDir: string) => readdir(path.join(dataDir, 'uploads'))
const bytesThere = (id: string) => readFile(path.join(folder, 'uploads', id))

let first: ClusterNode
beforeEach(async () => {
  first = clusterNode(app.context, app.context.node.id)
  await first.join({ bucket: 'one', secrets: app.context.secrets })
  onTestFinished(() => first.leave())
})

async function begun(bytes: Buffer, arrived: number): Promise<string> {
  const id = uuidv7(Date.now())
  expect((await here.create(bytes.length, { jobId: id, filename: 'a.wav' })).status).toBe(201)
  if (arrived > 0) expect((await here.patch(id, 0, bytes.subarray(0, arrived))).status).toBe(204)
  return id
}

test('refuses bytes for an upload of another process', async () => {
  const bytes = aRecording()
  const id = await begun(bytes, 1000)
  for (const offset of [0, 1000]) {
    const answer = await there.patch(id, offset, bytes.subarray(offset))
    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'upload_offset',
        error: 'Another process of the server has this upload. Ask for its offset and resume.',
      },
    })
  }
  const asked = await there.head(id)
  expect([asked.status, asked.headers.get('retry-after')]).toEqual([423, '5'])
  const body = named('Refused there')
  expect((await refusal(call(uploads.finalize, { params: { id }, body }, other.as(person)))).code).toBe(
    'upload_busy',
  )
  expect(await filesOf(folder)).toEqual([])
  expect((await here.head(id)).offset).toBe(1000)
  expect((await here.patch(id, 1000, bytes.subarray(1000))).status).toBe(204)
  const { teaching } = await call(uploads.finalize, { params: { id }, body }, person)
  expect(teaching.title).toBe('Refused there')
})

test("one of two processes takes an upload's first bytes", async () => {
  for (let round = 0; round < 5; round += 1) {
    const bytes = aRecording()
    const id = await begun(bytes, 0)
    const answers = await Promise.all([here.patch(id, 0, bytes), there.patch(id, 0, bytes)])
    const [taken, refused] = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(taken).toBe(204)
    expect([409, 423]).toContain(refused)
    await here.remove(id)
  }
})

test('an upload restarts elsewhere after its process ended', async () => {
  const bytes = aRecording()
  const id = await begun(bytes, 150_000)
  await first.leave()
  expect(await there.head(id)).toMatchObject({ status: 200, offset: 0 })
  expect((await there.patch(id, 0, bytes.subarray(0, 50_000))).status).toBe(204)
  // The first process is back with its old bytes.
  expect((await here.patch(id, 150_000, bytes.subarray(150_000))).status).toBe(409)
  expect((await there.patch(id, 50_000, bytes.subarray(50_000))).status).toBe(204)
  expect((await bytesThere(id)).equals(bytes)).toBe(true)
  await call(uploads.finalize, { params: { id }, body: named('Anew') }, other.as(person))
  await sweepUploads(app.context)
  expect(await filesOf(app.dataDir)).toEqual([])
})

test('a returning process drops bytes of a restarted upload', async () => {
  const bytes = aRecording()
  const id = await begun(bytes, 150_000)
  await first.leave()
  await there.head(id)
  await there.patch(id, 0, bytes.subarray(0, 10))
  // The second process has ended as well, without a note of it.
  expect(await here.head(id)).toMatchObject({ status: 200, offset: 0 })
  expect((await here.patch(id, 0, bytes)).status).toBe(204)
  expect((await readFile(path.join(app.dataDir, 'uploads', id))).equals(bytes)).toBe(true)
  await here.remove(id)
  await sweepUploads(other.context)
  expect(await filesOf(folder)).toEqual([])
})

test('restarts an upload after a minute at other processes', async () => {
  const bytes = aRecording()
  const id = await begun(bytes, 1000)
  expect((await there.head(id)).status).toBe(423)
  await sql`update uploads set wanted_at = now() - interval '61 seconds' where id = ${id}`
  expect(await there.head(id)).toMatchObject({ status: 200, offset: 0 })
  expect((await there.patch(id, 0, bytes)).status).toBe(204)
  await there.remove(id)
})

test('the takeover minute begins again after a visit or pause', async () => {
  const bytes = aRecording()
  const id = await begun(bytes, 1000)
  await there.head(id)
  await sql`update uploads set wanted_at = now() - interval '61 seconds' where id = ${id}`
  expect((await here.patch(id, 1000, bytes.subarray(1000, 2000))).status).toBe(204)
  expect((await there.head(id)).status).toBe(423)
  await sql`update uploads set wanted_at = now() - interval '11 minutes' where id = ${id}`
  expect((await there.head(id)).status).toBe(423)
  expect((await here.head(id)).offset).toBe(2000)
  await here.remove(id)
})

test('any process can cancel an upload', async () => {
  const id = await begun(aRecording(), 1000)
  expect((await there.remove(id)).status).toBe(204)
  expect((await here.head(id)).status).toBe(410)
  await sweepUploads(app.context)
  expect(await filesOf(app.dataDir)).toEqual([])
})

test('a sweep ignores the uploads of a running process', async () => {
  const bytes = aRecording()
  const id = await begun(bytes, bytes.length)
  await sql`update uploads set touched_at = now() - make_interval(days => ${idleUploadDays + 1}) where id = ${id}`
  await sweepUploads(other.context)
  expect((await here.head(id)).offset).toBe(bytes.length)
  // If the process has ended, its whole uploads are kept as long as own ones.
  await sql`update uploads set touched_at = now() - make_interval(days => ${idleUploadDays + 1}) where id = ${id}`
  await first.leave()
  await sweepUploads(other.context)
  expect(await sql`select 1 from uploads where id = ${id}`).toHaveLength(1)
  await sql`update uploads set touched_at = now() - make_interval(days => ${unfinalizedUploadDays + 1}) where id = ${id}`
  await sweepUploads(other.context)
  expect(await sql`select 1 from uploads where id = ${id}`).toEqual([])
  await sweepUploads(app.context)
  expect(await filesOf(app.dataDir)).toEqual([])
})

test('whole uploads elsewhere do not block new ones', async () => {
  const ids: string[] = []
  for (let at = 0; at < 3; at += 1) {
    const bytes = aRecording()
    ids.push(await begun(bytes, bytes.length))
  }
  const id = uuidv7(Date.now())
  expect((await there.create(1000, { jobId: id, filename: 'b.mp3' })).status).toBe(201)
  for (const each of [...ids, id]) await here.remove(each)
})
