import { z } from 'zod'
import { someFields } from './uploads.schema.ts'

/** The last word about an upload. With `teachingId` its recording takes the place of that teaching's. */
export const finalizeInput = someFields.extend({
  teachingId: z.int().min(1).max(2_147_483_647).optional(),
  /** The revision the person saw; without it the replacement is meant whatever stands there. */
  baseRev: z.int().min(0).optional(),
  /** Of that teaching: after a restore another one may have its number. */
  uid: z.uuid().optional(),
})
export type FinalizeInput = z.infer<typeof finalizeInput>
