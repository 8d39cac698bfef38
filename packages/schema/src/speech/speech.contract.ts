import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'
import { speechLimits } from './speech.limits.ts'
import { speechTexts } from './speech.texts.ts'

/** The fields that name a teaching for people. */
const named = teaching.pick({ id: true, title: true, speaker: true, date: true, scriptureReference: true })

const speechStatus = z.object({
  /** By which setting of the server drafts are made. */
  by: z.enum(['off', 'address', 'command', 'model']),
  paused: z.boolean(),
  /** Names and words of the church, one per line. */
  words: z.string(),
  /** Teachings with a recording and without a text that wait for a draft, and drafts made. */
  waiting: z.int(),
  done: z.int(),
  /** The teaching whose recording is heard now. */
  working: named.nullable(),
  /** Average minutes of the latest drafts; null before the first one. */
  minutesEach: z.number().nullable(),
  failed: z.array(named.extend({ why: z.string() })),
})
export type SpeechStatus = z.infer<typeof speechStatus>

const words = z.string().max(speechLimits.words, { error: speechTexts.tooManyWords })

export const speech = {
  status: endpoint({
    method: 'GET',
    path: '/api/admin/machine-drafts',
    access: 'admin',
    changes: false,
    summary:
      'How far the drafts are that a machine makes of what was said, what they cost, and which failed.',
    answer: speechStatus,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/admin/machine-drafts',
    access: 'admin',
    changes: true,
    summary: 'Pauses or resumes the drafts, and sets the list of names and words.',
    body: z.object({ paused: z.boolean().optional(), words: words.optional() }),
    answer: speechStatus,
  }),
  retry: endpoint({
    method: 'POST',
    path: '/api/admin/machine-drafts/retry',
    access: 'admin',
    changes: true,
    summary: 'Tries the failed recordings again.',
    answer: speechStatus,
  }),
}
