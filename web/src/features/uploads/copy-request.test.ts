import 'fake-indexeddb/auto'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { copyFile } from './copy-request.ts'

const db = uploadDatabase()
const { fields } = anUploadJob()
const upload = { id: 'a', uploadId: 'a', ownerUserId: 7, fields, now: 5 } as never
beforeEach(async () => {
  // A browser without Web Locks.
  vi.stubGlobal('navigator', {})
  await Promise.all([db.jobs.clear(), db.chunks.clear()])
})
afterEach(() => void vi.unstubAllGlobals())

const unreadable = () =>
  Object.assign(new File(['sound'], 'a.mp3'), {
    slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) }),
  })

test('a copied file is in the queue', async () => {
  const { id } = (await copyFile(db, { file: new File(['sound'], 'a.mp3'), upload })) as { id: string }
  expect(await db.jobs.get(id)).toMatchObject({ state: 'queued', copied: 5, filename: 'a.mp3' })
})

test('an unreadable file stays in the queue as lost', async () => {
  expect(await copyFile(db, { file: unreadable(), upload })).toEqual({
    sentence: uploadQueueTexts.unreadable,
    lost: true,
  })
  // Those of another file, or of another moment, are not it.
  await db.jobs.clear()
  await db.jobs.bulkAdd([
    anUploadJob({ id: 'b', state: 'lost', createdAt: 5, filename: 'b.mp3' }),
    anUploadJob({ id: 'c', state: 'lost', createdAt: 4 }),
    anUploadJob({ id: 'd', createdAt: 5 }),
  ])
  vi.spyOn(db.jobs, 'add').mockRejectedValueOnce(new DOMException('', 'QuotaExceededError') as never)
  expect(await copyFile(db, { file: new File(['sound'], 'a.mp3'), upload })).toEqual({
    sentence: uploadQueueTexts.deviceFull,
    lost: false,
  })
})

test('a file chosen again replaces the lost one, unless empty', async () => {
  await db.jobs.add(anUploadJob({ state: 'lost' }))
  const again = { id: 'a', now: 9 }
  expect(await copyFile(db, { file: new File([], 'a.mp3'), again })).toEqual({
    sentence: uploadQueueTexts.empty,
    lost: false,
  })
  expect(await copyFile(db, { file: new File(['sound'], 'b.mp3'), again })).toEqual({ id: 'a' })
  expect(await db.jobs.get('a')).toMatchObject({ state: 'queued', filename: 'b.mp3', size: 5 })
})
