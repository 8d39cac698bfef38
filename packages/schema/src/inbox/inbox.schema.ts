import { z } from 'zod'
import { parsedFilename } from '../uploads/uploads.schema.ts'

/** Days that a recording waits in the Inbox before it is removed. */
export const inboxDays = 30

/** A recording that arrived completely but could not be published automatically. */
export const inboxItem = z.object({
  id: z.uuid(),
  filename: z.string(),
  bytes: z.int(),
  arrivedAt: z.string(),
  /** ISO instant at which it will be removed. */
  keptUntil: z.string(),
  /** Why it was not published, and how to fix it. */
  reason: z.string(),
  fix: z.string(),
  /** Fields parsed from its name, for the form. */
  parsedData: parsedFilename,
})
export type InboxItem = z.infer<typeof inboxItem>
