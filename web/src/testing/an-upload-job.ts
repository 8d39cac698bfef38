import type { UploadJob } from '@fellowship/sync/client/database/upload-database'

/** An upload job that is fully copied and not sent at all, with the members that a test changes. */
export const anUploadJob = (change: Partial<UploadJob> = {}): UploadJob => ({
  id: 'a',
  uploadId: 'a',
  ownerUserId: 7,
  filename: 'a.mp3',
  size: 30_000_000,
  fields: { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-22', scriptureReference: '' },
  state: 'queued',
  paused: false,
  phase: 'new',
  copied: 30_000_000,
  acknowledged: 0,
  rate: 0,
  attempts: 0,
  nextAttemptAt: 0,
  movedAt: 0,
  timeoutTold: false,
  createdAt: 0,
  ...change,
})
