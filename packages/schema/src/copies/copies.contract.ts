import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'

/** Faults of a recording that its listeners hear. */
const soundFault = z.enum([
  'no_sound',
  'very_quiet',
  'clipped',
  'left_silent',
  'right_silent',
  'hum',
  'silent_start',
  'silent_end',
])
export type SoundFault = z.infer<typeof soundFault>

/** A fault for which a recording is asked about before it is published. */
export type SoundDoubt = Extract<SoundFault, 'no_sound' | 'clipped'>

/** The fields that name a recording for people. */
const named = teaching.pick({ id: true, title: true, speaker: true, date: true, scriptureReference: true })

const copyStatus = z.object({
  paused: z.boolean(),
  /** Whether backups hold the small copies. */
  inBackups: z.boolean(),
  /** Number of recordings in the library, and of finished ones. */
  total: z.int(),
  done: z.int(),
  /** Number of small copies, their bytes, and those of their originals. */
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

/** Faults of the recording of a teaching, for signed-in users. */
const soundNote = named.extend({
  uid: teaching.shape.uid,
  faults: z.array(soundFault),
  /** Seconds of silence to cut off at the start and at the end; null if there is none, or the format cannot be cut. */
  trim: z.object({ start: z.number(), end: z.number() }).nullable(),
  /** The untouched recording that a trimmed one was cut from. */
  untouched: z.object({ bytes: z.int(), duration: z.string().nullable() }).nullable(),
})
export type SoundNote = z.infer<typeof soundNote>

/** The teaching that was seen, and its revision: another one may have come since. */
const seenTeaching = z.object({ baseRev: z.int().min(0).optional(), uid: z.uuid().optional() })

export const copies = {
  status: endpoint({
    method: 'GET',
    path: '/api/audio-management/copies',
    access: 'admin',
    changes: false,
    summary: 'How far the small copies of recordings are, which failed, and which recordings sound wrong.',
    answer: copyStatus,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/audio-management/copies',
    access: 'admin',
    changes: true,
    summary: 'Pauses or resumes the making of small copies, and says whether backups hold them.',
    body: z.object({ paused: z.boolean().optional(), inBackups: z.boolean().optional() }),
    answer: copyStatus,
  }),
  retry: endpoint({
    method: 'POST',
    path: '/api/audio-management/copies/retry',
    access: 'admin',
    changes: true,
    summary: 'Tries the failed recordings again.',
    answer: copyStatus,
  }),
  sounds: endpoint({
    method: 'GET',
    path: '/api/sermons/sounds',
    access: 'user',
    changes: false,
    summary: 'Recordings that sound wrong or were trimmed, newest upload first, and those not measured.',
    answer: z.object({
      notes: z.array(soundNote),
      /** Teachings whose recording waits to be measured, and those whose measuring failed. */
      waiting: z.array(teaching.shape.uid),
      unmeasurable: z.array(teaching.shape.uid),
    }),
  }),
  trim: endpoint({
    method: 'POST',
    path: '/api/teachings/:id/trim',
    access: 'user',
    changes: true,
    summary:
      'Cuts long silences off both ends of an MP3 or WAV, without encoding it again. The untouched recording is kept.',
    params: idParam,
    body: seenTeaching,
    answer: teaching,
  }),
  untrim: endpoint({
    method: 'POST',
    path: '/api/teachings/:id/untrim',
    access: 'user',
    changes: true,
    summary: 'Brings back the untouched recording of a trimmed one.',
    params: idParam,
    body: seenTeaching,
    answer: teaching,
  }),
}
