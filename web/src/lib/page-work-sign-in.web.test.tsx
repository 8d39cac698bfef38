import { uploadDatabase, type UploadJob } from '@fellowship/sync/client/database'
import { expect, it, vi } from 'vitest'
import { testServer } from '../testing/test-server.ts'
import { pageWork } from './page-work.ts'

it('a database that fails just as the person signs in does not leave a recording waiting for the sign-in', async () => {
  await testServer({})
  const db = uploadDatabase()
  await db.jobs.add({
    id: 'a',
    uploadId: 'a',
    ownerUserId: 7,
    filename: 'a.mp3',
    size: 1,
    state: 'blocked_auth',
    paused: false,
    fields: { title: 'Hope', speaker: 'John', date: '2026-11-22', scriptureReference: '' },
    phase: 'new',
    copied: 1,
    acknowledged: 0,
    rate: 0,
    attempts: 0,
    nextAttemptAt: 0,
    movedAt: 0,
    timeoutTold: false,
    createdAt: 0,
    sha256: 'a',
  } as UploadJob)
  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  pageWork().person(undefined)
  vi.spyOn(db, 'transaction').mockImplementationOnce(() => Promise.reject(lost) as never)
  pageWork().person(7)
  await vi.waitFor(async () => expect((await db.jobs.get('a'))!.state).not.toBe('blocked_auth'), 5_000)
  pageWork().person(undefined)
}, 20_000)
