import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'

/** Faults of a recording that its listeners hear. */
const soundFault = z.enum([
  'no_sound',
  'very_quiet',
  'clipped',
  'left_silent',
  'right_silent',
  'silent_start',
  'silent_end',
])
export type SoundFault = z.infer<typeof soundFault>

/** What names a recording for people. */
const named = teaching.pick({ id: true, title: true, speaker: true, date: true, scriptureReference: true })

const copyStatus = z.object({
  paused: z.boolean(),
  /** Recordings of the library, and those that need no more work. */
  total: z.int(),
  done: z.int(),
  /** Small copies, and what they and their originals weigh in bytes. */
  copies: z.int(),
  copyBytes: z.int(),
  originalBytes: z.int(),
  /** M4A recordings that wait for ffmpeg to be installed. */
  waitingForFfmpeg: z.int(),
  /** Recordings of which no copy could be made. */
  failed: z.array(named.extend({ why: z.string() })),
  /** Recordings that sound wrong. */
  faulty: z.array(named.extend({ faults: z.array(soundFault) })),
})
export type CopyStatus = z.infer<typeof copyStatus>

export const copies = {
  status: endpoint({
    method: 'GET',
    path: '/api/audio-management/copies',
    access: 'admin',
    summary: 'How far the small copies of recordings are, which failed, and which recordings sound wrong.',
    answer: copyStatus,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/audio-management/copies',
    access: 'admin',
    summary: 'Pauses or resumes the making of small copies.',
    body: z.object({ paused: z.boolean() }),
    answer: copyStatus,
  }),
  retry: endpoint({
    method: 'POST',
    path: '/api/audio-management/copies/retry',
    access: 'admin',
    summary: 'Tries the failed recordings again.',
    answer: copyStatus,
  }),
}
