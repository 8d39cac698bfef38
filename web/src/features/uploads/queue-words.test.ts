import type { UploadJob } from '@fellowship/sync/client/database/upload-database'
import { describe, expect, test } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { progressWords, queueWords, showsProgress, stateWords, timeLeft } from './queue-words.ts'

describe('the texts of an upload job', () => {
  test.each<[string, Partial<UploadJob>, boolean]>([
    ['Saving to this device… 50 %', { state: 'copying', copied: 15_000_000 }, true],
    ['Waiting for its turn', {}, true],
    ['Waiting for a connection', {}, false],
    ['Waiting for a connection', { attempts: 2 }, true],
    ['Waiting for a connection', { attempts: 2, lastError: { code: 'network', sentence: '' } }, true],
    ['Waiting for the server', { attempts: 2, lastError: { code: '503', sentence: '' } }, true],
    ['No room.', { attempts: 2, lastError: { code: 'disk_full', sentence: 'No room.' } }, true],
    ['Too many.', { attempts: 2, lastError: { code: 'too_many_uploads', sentence: 'Too many.' } }, true],
    [
      'Waiting for a connection',
      { attempts: 2, lastError: { code: 'disk_full', sentence: 'No room.' } },
      false,
    ],
    ['62 %', { state: 'uploading', acknowledged: 18_700_000 }, true],
    ['99 %', { state: 'uploading', acknowledged: 29_999_999 }, true],
    ['Paused', { state: 'uploading', paused: true }, true],
    ['Checking…', { state: 'finalizing' }, true],
    ['In the library', { state: 'done' }, true],
    [
      'In the library. Its handout a.pdf was not saved: No PDF. Its handout b.png was not saved: Too large.',
      {
        state: 'done',
        refusedHandouts: [
          { name: 'a.pdf', sentence: 'No PDF.' },
          { name: 'b.png', sentence: 'Too large.' },
        ],
      },
      true,
    ],
    ['Sign in to send it', { state: 'blocked_auth', paused: true }, true],
    ['No room.', { state: 'rejected', lastError: { code: 'disk_full', sentence: 'No room.' } }, true],
  ])('a job is described as "%s"', (words, change, isOnline) => {
    expect(stateWords(anUploadJob(change), isOnline)).toBe(words)
  })

  test.each<[RegExp, Partial<UploadJob>[], boolean]>([
    [/^$/, [], true],
    [/^$/, [{ state: 'done' }, { state: 'lost' }], false],
    [/^You can close this page\./, [{ state: 'done' }, {}], false],
    [/until everything is saved\.$/, [{}, { state: 'copying' }], false],
    [/until everything is sent\.$/, [{ state: 'copying' }], true],
  ])('the page may be closed: %s', (words, jobs, inMemory) => {
    expect(queueWords(jobs.map(anUploadJob), inMemory)).toMatch(words)
  })

  test('shows bytes, rate and time left when known', () => {
    expect(progressWords(anUploadJob({}))).toBe('')
    expect(
      progressWords(anUploadJob({ state: 'uploading', acknowledged: 18_000_000, rate: 1_000_000 })),
    ).toBe('18 MB of 30 MB · 1 MB/s · 20 s left')
    expect(progressWords(anUploadJob({ acknowledged: 18_000_000, attempts: 1, rate: 5 }))).toBe(
      '18 MB of 30 MB',
    )
    const paused = anUploadJob({
      state: 'uploading',
      paused: true,
      acknowledged: 18_000_000,
      rate: 1_000_000,
    })
    expect(progressWords(paused)).toBe('18 MB of 30 MB')
    const small = { attempts: 1, size: 4_200_000 }
    expect(progressWords(anUploadJob({ ...small, acknowledged: 1_050_000 }))).toBe('1.1 MB of 4.2 MB')
    expect(progressWords(anUploadJob({ ...small, acknowledged: 1_310_000 }))).toBe('1.3 MB of 4.2 MB')
  })

  test.each<[boolean, Partial<UploadJob>]>([
    [false, { state: 'rejected', acknowledged: 30_000_000 }],
    [false, { state: 'duplicate', acknowledged: 30_000_000 }],
    [false, { state: 'done', acknowledged: 30_000_000 }],
    [false, {}],
    [true, { state: 'copying' }],
    [true, { state: 'uploading' }],
    [true, { acknowledged: 18_000_000, attempts: 1 }],
    [true, { state: 'blocked_auth', acknowledged: 18_000_000 }],
  ])('shows progress: %j for %j', (shown, change) => {
    expect(showsProgress(anUploadJob(change))).toBe(shown)
  })

  test.each([
    [3, 'a few seconds'],
    [34, '40 s'],
    [200, '3 min'],
    [7_000, '2 h'],
  ])('%d seconds are %s', (seconds, words) => {
    expect(timeLeft(seconds)).toBe(words)
  })
})
