import { aTeaching } from '@fellowship/schema/testing/builders'
import { uploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import { seenOf } from '@fellowship/sync/client/uploads/replacement'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { cancel, correct, pause, publishAnyway, readQueue, resume, retry, takeOff } from './queue.device.ts'

const refused = (code: string, given: Partial<UploadJob> = {}) =>
  anUploadJob({ state: 'rejected', lastError: { code, sentence: 'Refused.' }, ...given })

async function stored(job: UploadJob): Promise<UploadJob | undefined> {
  return uploadDatabase().jobs.get(job.id)
}
async function queued(job: UploadJob): Promise<UploadJob> {
  await uploadDatabase().jobs.put(job)
  return job
}

beforeEach(() => uploadDatabase().jobs.clear())

test('lists the recordings of one person', async () => {
  await queued(anUploadJob({ id: 'a', ownerUserId: 7 }))
  await queued(anUploadJob({ id: 'b', ownerUserId: 8 }))
  expect((await readQueue(7)).map(({ id }) => id)).toEqual(['a'])
})

test('a paused recording goes on at once', async () => {
  const retryNow = vi.spyOn(pageQueues().uploads, 'retryNow').mockImplementation(() => {})
  const job = await queued(anUploadJob())
  await pause(job.id)
  expect(await stored(job)).toMatchObject({ paused: true })
  expect(retryNow).not.toHaveBeenCalled()
  await resume(job.id)
  expect(await stored(job)).toMatchObject({ paused: false })
  expect(retryNow).toHaveBeenCalledOnce()
})

test('only what is done is taken off the list', async () => {
  const job = await queued(anUploadJob())
  await takeOff(job.id)
  expect(await stored(job)).toBeTruthy()
  await uploadDatabase().jobs.update(job.id, { state: 'done' })
  await takeOff(job.id)
  expect(await stored(job)).toBeUndefined()
})

test('cancelled before the server knows it, nothing is left', async () => {
  const job = await queued(anUploadJob())
  await cancel(job.id)
  expect(await stored(job)).toBeUndefined()
})

describe('corrected details', () => {
  const fields = { title: 'Faith', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }

  test('send a refused recording again', async () => {
    const job = await queued(refused('invalid_fields'))
    expect(await correct(job, fields)).toBeUndefined()
    expect(await stored(job)).toMatchObject({ state: 'queued', fields })
    const twice = await queued(refused('duplicate', { state: 'duplicate' }))
    expect(await correct(twice, fields)).toBeUndefined()
    expect(await stored(twice)).toMatchObject({ state: 'queued', fields })
  })

  test('wait for the answer about the sound', async () => {
    const job = await queued(refused('sounds_wrong'))
    expect(await correct(job, fields)).toBeUndefined()
    expect(await stored(job)).toMatchObject({ state: 'rejected', fields })
  })

  test('come too late for a recording that is done', async () => {
    const job = await queued(anUploadJob({ state: 'done' }))
    expect(await correct(job, fields)).toEqual(texts.tooLate)
    expect((await stored(job))!.fields.title).toBe('Hope')
  })
})

describe('a retried replacement', () => {
  const seen = aTeaching({ id: 1, rev: 3, title: 'Hope', speaker: 'Jane Doe' })
  const current = { ...seen, rev: 5, speaker: 'John Smith' }
  const replacement = (given: Partial<UploadJob>) =>
    refused('revision_conflict', {
      replace: { teachingId: 1, baseRev: 3, uid: seen.uid },
      seen: seenOf(seen),
      fields: {
        title: 'Hope in Christ',
        speaker: 'Jane Doe',
        date: seen.date,
        scriptureReference: seen.scriptureReference ?? '',
      },
      ...given,
    })

  test('starts from the teaching as it is now', async () => {
    const job = await queued(
      replacement({ lastError: { code: 'revision_conflict', sentence: 'Changed.', current } }),
    )
    await retry(job)
    expect(await stored(job)).toMatchObject({
      state: 'queued',
      replace: { baseRev: 5 },
      fields: { title: 'Hope in Christ', speaker: 'John Smith' },
    })
  })

  test('stays as it was without another teaching', async () => {
    const job = await queued(replacement({}))
    await retry(job)
    expect(await stored(job)).toMatchObject({ state: 'queued', replace: { baseRev: 3 } })
  })
})

test.each([
  ['cut_off', { acceptCutOff: true }],
  ['sounds_wrong', { acceptSound: true }],
])('publishes it as it is after %s', async (code, accepted) => {
  const job = await queued(refused(code))
  await publishAnyway(job)
  expect(await stored(job)).toMatchObject({ state: 'queued', ...accepted })
})

test('nothing else is published anyway', async () => {
  const job = await queued(refused('too_large'))
  await publishAnyway(job)
  expect(await stored(job)).toMatchObject({ state: 'rejected' })
})
