import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { beforeEach, expect, test } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { countUnownedUploads } from './outbox.device.ts'

beforeEach(() => uploadDatabase().jobs.clear())

test.each<[string, Parameters<typeof anUploadJob>[0], number]>([
  ['of nobody', { ownerUserId: null }, 1],
  ['of nobody, cancelled', { ownerUserId: null, state: 'cancelled' }, 0],
  ['shared and not confirmed', { unconfirmed: true }, 1],
  ['of a person, which waits for the sign-in', { state: 'blocked_auth' }, 1],
  ['of a person, which waits for the network', {}, 0],
])('a recording %s waits for a sign-in: %s', async (_, job, count) => {
  await uploadDatabase().jobs.put(anUploadJob(job))
  expect(await countUnownedUploads(undefined)).toBe(count)
  expect(await countUnownedUploads(7)).toBe(0)
})
