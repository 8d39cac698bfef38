import 'fake-indexeddb/auto'
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { cutPowerAt, fillDeviceAt } from '../../testing/crash.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { handoutsOf, UploadDatabase } from '../database/upload-database.ts'
import { addFile, chooseAgain, findInterruptedCopies, type CopyableFile } from './upload-copy.ts'
import { cancelUpload, readUploads } from './upload-jobs.ts'

let databases = 0
const newDatabase = () => new UploadDatabase(`copy-${(databases += 1)}`)
const upload = {
  fields: { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' },
  ownerUserId: 7,
  now: 1,
}
const copying = {
  hold: <T>(_: string, work: () => Promise<T>) => work(),
  yieldToMain: () => Promise.resolve(),
}
const fileOf = (bytes: Buffer) => new File([new Uint8Array(bytes)], 'a.mp3')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const jobs = (db: UploadDatabase) => readUploads(db, 7)
const bytesOf = async (db: UploadDatabase) =>
  Buffer.concat((await db.chunks.toArray()).map(({ data }) => Buffer.from(data)))

test.each([
  ['empty', 0, 'invalid_input'],
  ['too large', maxUploadBytes + 1, 'too_large'],
])('a file that is %s never becomes a job', async (_, size, code) => {
  const db = newDatabase()
  const file = { name: 'a.mp3', size, slice: () => new Blob() }
  await expect(addFile(db, file, upload, copying)).rejects.toMatchObject({ code })
  expect(await db.jobs.count()).toBe(0)
})

test.each<[string, (index: number) => Blob]>([
  [
    'taken away',
    () => ({ arrayBuffer: () => Promise.reject(new DOMException('gone', 'NotReadableError')) }) as Blob,
  ],
  ['shortened', () => new Blob([new Uint8Array(10)])],
])('a file that is %s during the copy is lost', async (_, later) => {
  const db = newDatabase()
  let slices = 0
  const file: CopyableFile = {
    name: 'a.mp3',
    size: chunkBytes * 3,
    slice: () => ((slices += 1) < 3 ? new Blob([new Uint8Array(chunkBytes)]) : later(slices)),
  }
  await expect(addFile(db, file, upload, copying)).rejects.toThrow()
  expect(await jobs(db)).toMatchObject([{ state: 'lost', copied: 0, lastError: { code: 'unreadable' } }])
  expect(await db.chunks.count()).toBe(0)
})

test('a full device: rejects and stores nothing of the file', async () => {
  const db = newDatabase()
  fillDeviceAt(db, 4, 1)
  await expect(addFile(db, fileOf(randomBytes(chunkBytes * 3)), upload, copying)).rejects.toThrow()
  expect(await jobs(db)).toMatchObject([{ state: 'lost', lastError: { code: 'device_full' } }])
  expect(await db.chunks.count()).toBe(0)
})

test('cancelled while it is copied: stores nothing', async () => {
  const db = newDatabase()
  let yields = 0
  const yieldToMain = async () => {
    if ((yields += 1) === 6) await cancelUpload(db, (await jobs(db))[0]!.id)
  }
  expect(
    await addFile(db, fileOf(randomBytes(chunkBytes * 3)), upload, { ...copying, yieldToMain }),
  ).toBeUndefined()
  expect([await db.jobs.count(), await db.chunks.count()]).toEqual([0, 0])
})

test('is queued with its last chunk and not before', async () => {
  const db = newDatabase()
  const bytes = randomBytes(chunkBytes * 2 + 10)
  const states = new Set<string>()
  db.jobs.hook('updating', (changes, _key, before) => {
    const { copied, state = before.state } = changes as { copied?: number; state?: string }
    states.add(`${copied} ${state}`)
  })
  const id = await addFile(db, fileOf(bytes), upload, copying)
  expect([...states]).toEqual([
    `${chunkBytes} copying`,
    `${chunkBytes * 2} copying`,
    `${bytes.length} queued`,
  ])
  expect(await jobs(db)).toMatchObject([
    { id, state: 'queued', sha256: sha256(bytes), filename: 'a.mp3', phase: 'new' },
  ])
  expect((await bytesOf(db)).equals(bytes)).toBe(true)
})

test('yields to the page after each quarter of a MiB', async () => {
  const db = newDatabase()
  let yields = 0
  const yieldToMain = () => Promise.resolve(void (yields += 1))
  await addFile(db, fileOf(randomBytes(chunkBytes * 2)), upload, { ...copying, yieldToMain })
  expect(yields).toBe(8)
})

test('a power cut leaves a job lost or complete', async () => {
  const bytes = randomBytes(chunkBytes * 2 + 10)
  for (let writes = 0; writes < 9; writes += 1) {
    const dying = newDatabase()
    cutPowerAt(dying, writes)
    await addFile(dying, fileOf(bytes), upload, copying).catch(() => undefined)
    dying.close()
    const db = new UploadDatabase(dying.name)
    const before = await jobs(db)
    await findInterruptedCopies(db, () => Promise.resolve(true))
    expect(await jobs(db)).toEqual(before)
    await findInterruptedCopies(db, () => Promise.resolve(false))
    const [job] = await jobs(db)
    if (!job) {
      expect(writes).toBe(0)
      continue
    }
    expect(['lost', 'queued']).toContain(job.state)
    if (job.state === 'lost') {
      expect(await db.chunks.count()).toBe(0)
      const other = randomBytes(chunkBytes + 1)
      expect(await chooseAgain(db, job.id, fileOf(other), 2, copying)).toBe(job.id)
      const [again] = await jobs(db)
      expect(again).toMatchObject({
        state: 'queued',
        size: other.length,
        fields: upload.fields,
        sha256: sha256(other),
      })
      expect(again!.uploadId).not.toBe(job.uploadId)
    } else expect((await bytesOf(db)).equals(bytes)).toBe(true)
    await db.delete()
  }
})

test('a full device takes no recording without its handouts', async () => {
  const db = newDatabase()
  fillDeviceAt(db, 1, 1)
  const handouts = [{ name: 'Outline.pdf', data: new ArrayBuffer(8) }]
  await expect(addFile(db, fileOf(randomBytes(9)), { ...upload, handouts }, copying)).rejects.toThrow()
  expect([await db.jobs.count(), await db.chunks.count()]).toEqual([0, 0])
})

test.each(['lost', 'rejected'] as const)(
  'handouts stay with a %s file that is chosen again',
  async (state) => {
    const db = newDatabase()
    const handouts = [{ name: 'Outline.pdf', data: new TextEncoder().encode('Outline').buffer }]
    const id = (await addFile(db, fileOf(randomBytes(9)), { ...upload, handouts }, copying))!
    await db.jobs.update(id, { state, lastError: { code: 'unsupported_audio', sentence: 'No.' } })
    const again = (await chooseAgain(db, id, fileOf(randomBytes(9)), 2, copying))!
    expect((await db.jobs.get(again))!.handouts).toEqual(['Outline.pdf'])
    const row = await db.chunks.get([handoutsOf(again), 0])
    expect(new TextDecoder().decode(row!.data)).toBe('Outline')
    expect(await db.chunks.count()).toBe(2)
  },
)

test('a file chosen again is a new upload', async () => {
  const db = newDatabase()
  const id = (await addFile(db, fileOf(randomBytes(chunkBytes + 1)), upload, copying))!
  const fresh = await db.jobs.get(id)
  await db.jobs.update(id, {
    state: 'lost',
    asked: true,
    sends: 2,
    wasBegun: true,
    furthest: chunkBytes,
    attempts: 3,
    nextAttemptAt: 9_000,
    notBefore: 3_600_000,
    acceptCutOff: true,
    acceptSound: true,
    lastError: { code: 'evicted', sentence: 'Gone.' },
  })
  const other = randomBytes(10)
  await chooseAgain(db, id, fileOf(other), 2, copying)
  const again = await db.jobs.get(id)
  expect(again).toEqual({
    ...fresh,
    uploadId: again!.uploadId,
    sha256: sha256(other),
    size: 10,
    copied: 10,
    movedAt: 2,
  })
  expect((await bytesOf(db)).equals(other)).toBe(true)
})
