import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import {
  cancelUpload,
  confirmUpload,
  correctUpload,
  finishUpload,
  isUnderWay,
  mayBePublished,
  pauseUpload,
  readUploads,
  resumeUpload,
  retryUpload,
  retryUploadsNow,
  takeOffList,
  unblockUploads,
} from './upload-jobs.ts'

const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
const others = { ...fields, title: 'Faith' }

const aJob = (given: Partial<UploadJob> = {}): UploadJob => ({
  id: 'job',
  uploadId: 'job',
  ownerUserId: 7,
  filename: 'a.mp3',
  size: 10,
  fields,
  state: 'queued',
  paused: false,
  phase: 'new',
  copied: 10,
  acknowledged: 0,
  rate: 0,
  movedAt: 1,
  timeoutTold: false,
  createdAt: 1,
  attempts: 0,
  nextAttemptAt: 0,
  notBefore: 0,
  ...given,
})

/** A device with these jobs, each with a chunk of bytes. */
async function device(...jobs: Partial<UploadJob>[]) {
  const db = new UploadDatabase(`jobs-${Math.random()}`)
  onTestFinished(() => db.delete())
  await db.jobs.bulkPut(jobs.map(aJob))
  await db.chunks.bulkPut(jobs.map(({ id = 'job' }) => ({ jobId: id, index: 0, data: new ArrayBuffer(10) })))
  const ids = async (user: number | undefined = 7) => (await readUploads(db, user)).map(({ id }) => id)
  return { db, ids, job: async (id = 'job') => (await db.jobs.get(id))! }
}

const states = [
  'copying',
  'queued',
  'creating',
  'uploading',
  'finalizing',
  'done',
  'blocked_auth',
  'duplicate',
  'rejected',
  'cancelled',
  'lost',
] as const

describe('a job is not listed', () => {
  test('hides jobs of others and cancelled ones', async () => {
    const { ids } = await device(
      { id: 'mine', createdAt: 4 },
      { id: 'theirs', ownerUserId: 8 },
      { id: 'ownerless', ownerUserId: null, createdAt: 2 },
      { id: 'cancelled', state: 'cancelled' },
      { id: 'beside', createdAt: 2 },
      { id: 'z beside', createdAt: 2 },
    )
    expect(await ids()).toEqual(['beside', 'ownerless', 'z beside', 'mine'])
    expect(await ids(8)).toEqual(['theirs', 'ownerless'])
  })

  test('hides all jobs while signed out', async () => {
    const { db } = await device({ id: 'mine' }, { id: 'ownerless', ownerUserId: null })
    expect((await readUploads(db, undefined)).map(({ id }) => id)).toEqual(['ownerless'])
  })
})

test.each(states)('%s: running, and possibly in the library', (state) => {
  const [goesOn, late] = [
    ['queued', 'creating', 'uploading', 'finalizing', 'cancelled'],
    ['finalizing', 'done', 'cancelled'],
  ].map((list) => list.includes(state))
  expect(isUnderWay(aJob({ state }))).toBe(goesOn)
  expect(isUnderWay(aJob({ state, paused: true }))).toBe(state === 'cancelled')
  expect(mayBePublished(aJob({ state }))).toBe(late)
  expect(mayBePublished(aJob({ state, phase: 'begun' }))).toBe(late)
  const isRefused = ['rejected', 'duplicate', 'lost'].includes(state)
  expect(mayBePublished(aJob({ state, phase: 'arrived' }))).toBe(!isRefused)
})

test.each(states)('%s: whether it can be paused and resumed', async (state) => {
  const { db, job } = await device({ state, attempts: 3, nextAttemptAt: 9, notBefore: 9 })
  await pauseUpload(db, 'job')
  const isOver = ['done', 'cancelled'].includes(state)
  expect(await job()).toMatchObject({ paused: !isOver, attempts: 3 })
  await resumeUpload(db, 'job', 50)
  const resumed = { paused: false, attempts: 0, nextAttemptAt: 0, notBefore: 0, movedAt: 50 }
  expect(await job()).toMatchObject(state === 'cancelled' ? { attempts: 3, movedAt: 1 } : resumed)
})

describe('nothing is changed', () => {
  test('a missing job cannot be changed', async () => {
    const { db } = await device()
    await pauseUpload(db, 'job')
    await cancelUpload(db, 'job')
    await confirmUpload(db, 'job', fields, 7, 1)
    await finishUpload(db, 'job', { teaching: aTeaching() }, 1)
    expect(await correctUpload(db, 'job', others)).toBe(false)
    expect(await db.jobs.count()).toBe(0)
  })

  test('sent fields cannot be changed', async () => {
    const { db, job } = await device({ state: 'finalizing' })
    expect(await correctUpload(db, 'job', others)).toBe(false)
    expect((await job()).fields).toEqual(fields)
    await db.jobs.update('job', { state: 'uploading' })
    expect(await correctUpload(db, 'job', others)).toBe(true)
    expect((await job()).fields).toEqual(others)
  })

  test('only a refused job can be retried', async () => {
    const { db, job } = await device({ state: 'uploading' })
    await retryUpload(db, 'job', { fields: others }, 50)
    expect(await job()).toEqual(aJob({ state: 'uploading' }))
  })

  test('a confirmed job cannot be confirmed again', async () => {
    const { db, job } = await device({ paused: true })
    await confirmUpload(db, 'job', others, 8, 50)
    expect(await job()).toEqual(aJob({ paused: true }))
  })
})

describe('a refused job that is tried again', () => {
  const again = { state: 'queued', paused: false, attempts: 0, nextAttemptAt: 0, sends: 0, movedAt: 50 }
  const rejected = (code: string): Partial<UploadJob> => ({
    state: 'rejected',
    paused: true,
    phase: 'arrived',
    acknowledged: 10,
    attempts: 3,
    nextAttemptAt: 9,
    sends: 3,
    lastError: { code, sentence: 'No.' },
    timeoutTold: true,
  })

  test('a retry asks first and sends the corrections', async () => {
    const { db, job } = await device(rejected('invalid_input'))
    const replace = { teachingId: 1, baseRev: 2, uid: 'x' }
    await retryUpload(db, 'job', { fields: others, replace }, 50)
    expect(await job()).toMatchObject({
      ...again,
      uploadId: 'job',
      phase: 'begun',
      fields: others,
      replace,
      timeoutTold: false,
    })
  })

  test('pausing keeps the progress of a job', async () => {
    const { db, job } = await device({ ...rejected('invalid_input'), phase: 'new' })
    await retryUpload(db, 'job', {}, 50)
    expect(await job()).toMatchObject({ ...again, phase: 'new', fields })
    expect(await job()).not.toHaveProperty('replace')
  })

  test.each(['upload_gone', 'upload_damaged', 'duplicate', 'unsupported_audio', 'too_large'])(
    '%s: is another upload, from the first byte',
    async (code) => {
      const { db, job } = await device({ ...rejected(code), state: 'duplicate' })
      await retryUpload(db, 'job', {}, 50)
      const { uploadId, ...rest } = await job()
      expect(rest).toMatchObject({ ...again, id: 'job', phase: 'new', acknowledged: 0 })
      expect(uploadId).not.toBe('job')
    },
  )

  test('a retry without a reason is the same upload', async () => {
    const { db, job } = await device({ state: 'rejected', phase: 'begun' })
    await retryUpload(db, 'job', {}, 50)
    expect(await job()).toMatchObject({ ...again, uploadId: 'job', phase: 'begun' })
  })
})

test.each([
  ['nobody’s becomes theirs', null, 8],
  ['somebody’s stays theirs', 7, 7],
])('sends a shared job once confirmed: %s', async (_, ownerUserId, owner) => {
  const { db, job } = await device({ unconfirmed: true, paused: true, ownerUserId })
  await confirmUpload(db, 'job', others, 8, 50)
  expect(await job()).toMatchObject({ fields: others, paused: false, ownerUserId: owner, movedAt: 50 })
  expect(await job()).not.toHaveProperty('unconfirmed')
})

describe('a cancelled job', () => {
  test.each<[string, Partial<UploadJob>]>([
    ['that the server may have', { phase: 'new', asked: true }],
    ['that the server has', { phase: 'begun' }],
  ])('%s stays without bytes until it is deleted there', async (_, given) => {
    const { db, job, ids } = await device({ ...given, attempts: 2, nextAttemptAt: 9, notBefore: 9 })
    await cancelUpload(db, 'job')
    expect(await job()).toMatchObject({ state: 'cancelled', attempts: 0, nextAttemptAt: 0, notBefore: 0 })
    expect([await db.chunks.count(), await ids()]).toEqual([0, []])
  })

  test.each<[string, Partial<UploadJob>, typeof cancelUpload]>([
    ['that the server was never asked for', { phase: 'new' }, cancelUpload],
    ['that is done, and taken off the list,', { phase: 'arrived', state: 'done' }, takeOffList],
  ])('%s goes at once, with its bytes and no others', async (_, given, end) => {
    const { db } = await device(given, { id: 'other' })
    await end(db, 'job')
    expect((await db.jobs.toArray()).map(({ id }) => id)).toEqual(['other'])
    expect((await db.chunks.toArray()).map(({ jobId }) => jobId)).toEqual(['other'])
  })

  test('a cancelled job that was published stays listed', async () => {
    const { db, job } = await device({ phase: 'arrived', state: 'done' }, { id: 'other' })
    await cancelUpload(db, 'job')
    expect(await job()).toMatchObject({ state: 'done' })
    await takeOffList(db, 'other')
    expect((await db.jobs.toArray()).map(({ id }) => id)).toEqual(['job', 'other'])
  })
})

test('a sign-in queues blocked and ownerless jobs', async () => {
  const failed = { attempts: 2, nextAttemptAt: 9 }
  const { db, job } = await device(
    { id: 'blocked', state: 'blocked_auth', ...failed },
    { id: 'cancelled', state: 'cancelled', ...failed },
    { id: 'waiting', ...failed },
    { id: 'ownerless', ownerUserId: null, state: 'blocked_auth' },
    { id: 'theirs', ownerUserId: 8, state: 'blocked_auth' },
    { id: 'theirs, cancelled', ownerUserId: 8, state: 'cancelled', ...failed },
  )
  await unblockUploads(db, 7, 50)
  expect(await job('blocked')).toMatchObject({ state: 'queued', attempts: 0, nextAttemptAt: 0, movedAt: 50 })
  expect(await job('cancelled')).toMatchObject({ state: 'cancelled', nextAttemptAt: 0 })
  expect(await job('waiting')).toMatchObject(failed)
  expect(await job('ownerless')).toMatchObject({ state: 'queued', ownerUserId: 7 })
  expect(await job('theirs')).toMatchObject({ state: 'blocked_auth', ownerUserId: 8 })
  expect(await job('theirs, cancelled')).toMatchObject(failed)
})

test('a person ends the wait of every job', async () => {
  const wait = { nextAttemptAt: 9, notBefore: 9 }
  const network = { code: 'network', sentence: 'No connection.' }
  const { db, job } = await device(
    { id: 'paused', paused: true, ...wait, lastError: network },
    { id: 'answered', ...wait, lastError: { code: 'unavailable', sentence: 'Later.' } },
    { id: 'unanswered', ...wait, lastError: network },
  )
  const waits = async () =>
    Promise.all(
      ['paused', 'answered', 'unanswered'].map(async (id) => {
        const { nextAttemptAt, notBefore } = await job(id)
        return [nextAttemptAt, notBefore]
      }),
    )
  await retryUploadsNow(db, 'network')
  expect(await waits()).toEqual([
    [9, 9],
    [9, 9],
    [0, 9],
  ])
  await retryUploadsNow(db, 'asked')
  expect(await waits()).toEqual([
    [9, 9],
    [0, 0],
    [0, 0],
  ])
})

test('lists the last twenty done jobs', async () => {
  const done = Array.from({ length: 20 }, (_, at) => ({
    id: `done ${at}`,
    state: 'done' as const,
    finishedAt: at,
  }))
  const { db, job } = await device(
    { lastError: { code: 'network', sentence: 'No.' } },
    { id: 'other' },
    ...done,
  )
  await finishUpload(db, 'job', { teaching: aTeaching() }, 50)
  expect(await job()).toMatchObject({
    state: 'done',
    phase: 'arrived',
    acknowledged: 10,
    finishedAt: 50,
    teaching: aTeaching(),
  })
  expect(await job()).not.toHaveProperty('lastError')
  expect((await db.chunks.toArray()).map(({ jobId }) => jobId)).not.toContain('job')
  expect(await db.chunks.count()).toBe(21)
  const listed = (await db.jobs.toArray()).map(({ id }) => id)
  expect(listed).toHaveLength(21)
  expect(listed).not.toContain('done 0')
  expect(listed).toContain('other')
})
