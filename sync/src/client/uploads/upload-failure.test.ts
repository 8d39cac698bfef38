import 'fake-indexeddb/auto'
import { emptyText } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CallError, NetworkError, TooManyRequests } from '../../call/call-error.ts'
import { UploadDatabase, type UploadJob } from '../database/upload-database.ts'
import { requestRate } from '../engine/rate.ts'
import {
  handleFailure,
  isGone,
  isProxyLimit,
  maxSends,
  reportStalledUploads,
  stalledAt,
  stopFor,
  WrongOffset,
} from './upload-failure.ts'
import type { UploadJobEvent } from './upload-jobs.ts'
import { MissingBytes } from './upload-requests.ts'

let db: UploadDatabase
let names = 0
let events: string[]
const now = 10_000_000

beforeEach(() => {
  db = new UploadDatabase(`upload-failure-${(names += 1)}`)
  events = []
})
afterEach(() => db.delete())

const options = () => ({
  now: () => now,
  random: () => 1,
  rate: requestRate(() => now),
  userId: () => 7,
  onEvent: ({ kind }: UploadJobEvent) => void events.push(kind),
})

async function aJob(change: Partial<UploadJob> = {}): Promise<UploadJob> {
  const job: UploadJob = {
    id: 'a',
    uploadId: 'a',
    ownerUserId: 7,
    filename: 'a.mp3',
    size: 1_000,
    fields: { ...emptyText, title: 'Hope', speaker: 'Jane Doe', date: '2026-11-22' },
    state: 'uploading',
    paused: false,
    phase: 'begun',
    copied: 1_000,
    acknowledged: 0,
    rate: 0,
    attempts: 0,
    nextAttemptAt: 0,
    movedAt: now,
    timeoutTold: false,
    createdAt: 0,
    ...change,
  }
  await db.jobs.put(job)
  return job
}

const refusal = (status: number, body: object) =>
  new CallError(status, JSON.stringify({ success: false, error: 'No.', ...body }))
const offline = new NetworkError(new TypeError('Failed to fetch'))

/** The job after a failure; `meanwhile`: what became of it since the request began. */
async function afterFailing(
  error: unknown,
  begun: Partial<UploadJob> = {},
  meanwhile: Partial<UploadJob> = {},
) {
  const job = await aJob(begun)
  await db.jobs.update('a', meanwhile)
  await handleFailure({ db, ...options() }, job, error)
  return (await db.jobs.get('a'))!
}

describe('a failed upload', () => {
  test('waits longer after each failure', async () => {
    expect(await afterFailing(offline)).toMatchObject({
      state: 'queued',
      attempts: 1,
      nextAttemptAt: now + 2_000,
      lastError: { code: 'network' },
    })
    expect(await afterFailing(offline, { attempts: 3 })).toMatchObject({
      attempts: 4,
      nextAttemptAt: now + 16_000,
    })
    expect(events).toEqual([])
  })

  test('begins anew if the server has lost it', async () => {
    for (const code of ['upload_gone', 'upload_damaged'])
      expect(await afterFailing(refusal(410, { code }))).toMatchObject({ state: 'queued', attempts: 1 })
    expect(events).toEqual([])
  })

  test('keeps its error if this device asked too often', async () => {
    const lastError = { code: 'network', sentence: 'Before.' }
    const job = await afterFailing(new TooManyRequests(now + 5), { attempts: 1, lastError })
    expect(job).toMatchObject({ state: 'queued', attempts: 1, nextAttemptAt: now + 5, lastError })
  })

  test.each([
    ['401 unauthorized', refusal(401, { code: 'unauthorized' }), 'blocked_auth'],
    ['409 duplicate', refusal(409, { code: 'duplicate' }), 'duplicate'],
    ['409 revision_conflict', refusal(409, { code: 'revision_conflict' }), 'rejected'],
    ['415 unsupported_audio', refusal(415, { code: 'unsupported_audio' }), 'rejected'],
  ])('needs a person after %s, unless it is cancelled', async (_, error, state) => {
    expect(await afterFailing(error)).toMatchObject({ state, lastError: { sentence: 'No.' } })
    expect(events).toEqual([state])
    expect((await afterFailing(error, {}, { state: 'cancelled' })).state, 'meanwhile').toBe('cancelled')
    expect((await afterFailing(error, {}, { state: 'done' })).state).toBe('done')
    expect(await afterFailing(error, { state: 'cancelled' }), 'its deletion').toMatchObject({
      state: 'cancelled',
      attempts: 1,
    })
    expect(events).toEqual([state])
  })

  test('a cancelled one is deleted without a wait', async () => {
    expect(await afterFailing(offline, {}, { state: 'cancelled' })).toMatchObject({
      state: 'cancelled',
      attempts: 0,
      nextAttemptAt: 0,
    })
  })

  test('is lost without its bytes, unless it is cancelled', async () => {
    expect(await afterFailing(new MissingBytes())).toMatchObject({
      state: 'lost',
      lastError: { code: 'evicted', sentence: texts.evicted },
    })
    expect(await afterFailing(new MissingBytes(), { state: 'cancelled' })).toMatchObject({
      state: 'cancelled',
      attempts: 1,
    })
  })

  test('is not tried again once it is done', async () => {
    expect(await afterFailing(offline, {}, { state: 'done' })).toMatchObject({ state: 'done', attempts: 0 })
  })

  test.each<[string, Partial<UploadJob>, string[]]>([
    ['no progress for five minutes', { movedAt: now - uploadTimeoutMs }, ['timeout']],
    ['progress since', { movedAt: now - uploadTimeoutMs + 1 }, []],
    ['a report before', { movedAt: 0, timeoutTold: true }, []],
    ['its cancellation', { movedAt: 0, state: 'cancelled' }, []],
  ])('reports the timeout after %s', async (_, begun, told) => {
    const job = await afterFailing(offline, begun)
    expect(events).toEqual(told)
    expect(job.timeoutTold).toBe(told.length > 0 || begun.timeoutTold === true)
  })
})

describe('the error of an upload', () => {
  const errorOf = async (error: unknown, begun: Partial<UploadJob> = {}) =>
    (await afterFailing(error, begun)).lastError

  test('names the teaching that has the recording', async () => {
    const duplicateOf = aTeaching({ title: 'Grace' })
    const existing = { path: teachingPath(duplicateOf), sameRecording: true }
    const known = (more: object) => errorOf(refusal(409, { code: 'duplicate', duplicateOf, ...more }))
    expect((await known({ sameRecording: true }))?.existing).toEqual(existing)
    expect((await known({ sameRecording: 'yes' }))?.existing?.sameRecording).toBe(false)
    expect(await errorOf(refusal(409, { code: 'duplicate', duplicateOf: { uid: 'b' } }))).not.toHaveProperty(
      'existing',
    )
    expect(await errorOf(refusal(409, { code: 'revision_conflict', duplicateOf }))).not.toHaveProperty(
      'existing',
    )
  })

  test('has the present row of a conflict', async () => {
    const current = aTeaching({ title: 'Grace' })
    expect(await errorOf(refusal(409, { code: 'revision_conflict', current }))).toEqual({
      code: 'revision_conflict',
      sentence: 'No.',
      current,
    })
    expect(await errorOf(refusal(409, { code: 'revision_conflict' }))).not.toHaveProperty('current')
  })

  test('has the part that arrived of a recording that is cut off', async () => {
    expect(await errorOf(refusal(422, { code: 'cut_off', present: '0:36' }))).toMatchObject({
      present: '0:36',
    })
    expect(await errorOf(refusal(422, { code: 'cut_off', present: 36 }))).not.toHaveProperty('present')
    expect(await errorOf(refusal(422, { code: 'sounds_wrong', present: '0:36' }))).not.toHaveProperty(
      'present',
    )
  })

  test.each([
    ['upload_damaged', texts.damagedEachTime],
    ['upload_gone', texts.goneEachTime],
  ])('says of %s that it failed each time', async (code, sentence) => {
    const stopped = async (sends: number) => {
      const job = await aJob({ sends })
      await stopFor({ db, ...options() }, job, 'rejected', refusal(410, { code }))
      return (await db.jobs.get('a'))?.lastError
    }
    expect(await stopped(maxSends)).toEqual({ code, sentence })
    expect(await stopped(maxSends - 1)).toEqual({ code, sentence: 'No.' })
  })

  test('has only a sentence for an impossible offset', async () => {
    const { message } = new WrongOffset()
    expect(await errorOf(new WrongOffset())).toEqual({ code: 'network', sentence: message })
  })
})

describe('an upload without progress', () => {
  test.each([
    ['one that failed', {}, true],
    ['one that never failed', { attempts: 0 }, false],
    ['one that was reported', { timeoutTold: true }, false],
    ['a cancelled one', { state: 'cancelled' as const }, false],
    ['a paused one', { paused: true }, false],
    ['one that needs a person', { state: 'rejected' as const }, false],
    ['one of another person', { ownerUserId: 8 }, false],
  ])('is reported once: %s', async (_, change, isTold) => {
    await aJob({ attempts: 1, movedAt: now - uploadTimeoutMs, ...change })
    await reportStalledUploads(db, options())
    await reportStalledUploads(db, options())
    expect(events).toEqual(isTold ? ['timeout'] : [])
  })

  test('is reported after five minutes', async () => {
    const job = await aJob({ attempts: 1, movedAt: now - uploadTimeoutMs + 1 })
    expect(stalledAt(job)).toBe(now + 1)
    await reportStalledUploads(db, options())
    expect(events).toEqual([])
  })
})

test('tells a missing upload and a limit of a proxy from other errors', () => {
  const errors = [
    refusal(404, { code: 'not_found' }),
    refusal(410, { code: 'upload_gone' }),
    new CallError(404, ''),
    refusal(409, { code: 'upload_offset' }),
    new CallError(404, '<h1>Not found</h1>'),
    offline,
  ]
  expect(errors.map(isGone)).toEqual([true, true, true, false, false, false])
  const large = [new CallError(413, '<h1>Too large</h1>'), refusal(413, { code: 'too_large' }), offline]
  expect([...large, new CallError(502, '')].map(isProxyLimit)).toEqual([true, false, false, false])
})
