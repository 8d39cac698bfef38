import { z } from 'zod'
import { parsedFilename } from '../uploads/uploads.schema.ts'

/** Days that a recording waits in the Inbox before it is removed. */
export const inboxDays = 30

/** A recording that arrived whole but could not be published by itself. */
export const inboxItem = z.object({
  id: z.uuid(),
  filename: z.string(),
  bytes: z.int(),
  arrivedAt: z.string(),
  /** ISO instant at which it will be removed. */
  keptUntil: z.string(),
  /** What stood in the way, and the way to mend it. */
  reason: z.string(),
  fix: z.string(),
  /** What its name says, for the form. */
  parsedData: parsedFilename,
})
export type InboxItem = z.infer<typeof inboxItem>
