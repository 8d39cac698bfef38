import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'
import { acceptCutOff, acceptSound, fileName, parsedFilename, someFields } from './uploads.schema.ts'

/** The last word about an upload. With `teachingId` its recording takes the place of that teaching's. */
const finalizeInput = someFields.extend({
  teachingId: z.int().min(1).max(2_147_483_647).optional(),
  /** The revision the person saw; without it the replacement is meant whatever stands there. */
  baseRev: z.int().min(0).optional(),
  /** Of that teaching: after a restore another one may have its number. */
  uid: z.uuid().optional(),
  acceptCutOff,
  acceptSound,
})
export type FinalizeInput = z.infer<typeof finalizeInput>

export const uploads = {
  parseFilename: endpoint({
    method: 'POST',
    path: '/api/sermons/parse-filename',
    access: 'user',
    changes: false,
    summary: 'Reads date, speaker, title and scripture out of a file name.',
    body: z.object({ filename: fileName }),
    answer: z.object({ parsedData: parsedFilename }),
  }),
  checkDuplicate: endpoint({
    method: 'POST',
    path: '/api/sermons/check-duplicate',
    access: 'user',
    changes: false,
    summary: '409 where the same date, speaker and title or scripture stand in the library.',
    body: z.object({ filename: fileName, parsedData: someFields.optional() }),
    answer: z.object({ success: z.literal(true), duplicate: z.literal(false), parsedData: parsedFilename }),
  }),
  smartUpload: endpoint({
    method: 'POST',
    path: '/api/sermons/smart-upload',
    access: 'user',
    changes: true,
    summary: 'Takes one recording in. `overrideData` is the JSON of corrected fields and wins over the name.',
    body: someFields.extend({ overrideData: z.string().max(5000).optional(), acceptCutOff, acceptSound }),
    encoding: 'multipart',
    files: ['audioFile'],
    answer: z.object({
      success: z.literal(true),
      teaching,
      parseInfo: z.object({ sanitizedFilename: z.string() }),
    }),
  }),
  /** After the bytes were sent by tus 1.0.0 to /api/uploads. */
  finalize: endpoint({
    method: 'POST',
    path: '/api/uploads/:id/finalize',
    access: 'user',
    changes: true,
    summary:
      'Makes a recording that arrived at /api/uploads (tus 1.0.0) a teaching, or the new recording of `teachingId`; once, however often it is called.',
    params: z.object({ id: z.uuid() }),
    body: finalizeInput,
    answer: z.object({ success: z.literal(true), teaching }),
  }),
}
