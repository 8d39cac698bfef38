import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { teaching } from '../teachings/teachings.schema.ts'
import { acceptCutOff, acceptSound, enteredFields, parsedFilename } from '../uploads/uploads.schema.ts'

/** Days that a recording waits in the Inbox before it is removed. */
export const inboxDays = 30

/** A recording that arrived completely but could not be published automatically. */
const inboxItem = z.object({
  id: z.uuid(),
  filename: z.string(),
  bytes: z.int(),
  arrivedAt: z.string(),
  /** ISO instant at which it will be removed. */
  keptUntil: z.string(),
  /** Why it was not published, and how to fix it. */
  reason: z.string(),
  fix: z.string(),
  /** True if the end of the recording is missing. It is published only with `acceptCutOff`. */
  isCutOff: z.boolean(),
  /** True if it does not sound as it should. It is published only with `acceptSound`. */
  soundsWrong: z.boolean().default(false),
  /** True if it is no recording, which no fields make one: it can only be discarded. */
  isUnfit: z.boolean().default(false),
  /** Fields parsed from its name, for the form. */
  parsedData: parsedFilename,
  /** The teaching of which it would be a duplicate, if the library has it still. */
  duplicateOf: teaching
    .pick({ uid: true, title: true, speaker: true, date: true, scriptureReference: true })
    .nullable()
    .default(null),
})
export type InboxItem = z.infer<typeof inboxItem>

const params = z.object({ id: z.uuid() })

export const inbox = {
  list: endpoint({
    method: 'GET',
    path: '/api/inbox',
    access: 'admin',
    changes: false,
    summary: 'Recordings that arrived but could not be published by themselves, newest first.',
    answer: z.object({ success: z.literal(true), items: z.array(inboxItem) }),
  }),
  recording: endpoint({
    method: 'GET',
    path: '/api/inbox/:id/recording',
    access: 'admin',
    changes: false,
    summary: 'The bytes of one of them as they arrived, for listening; ranges are supported.',
    params,
    answer: z.unknown(),
  }),
  publish: endpoint({
    method: 'POST',
    path: '/api/inbox/:id/publish',
    access: 'admin',
    changes: true,
    summary: 'Publishes one of them under corrected fields.',
    params,
    body: enteredFields.extend({ acceptCutOff, acceptSound }),
    answer: z.object({ success: z.literal(true), message: z.string(), teaching }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/inbox/:id',
    access: 'admin',
    changes: true,
    summary: 'Deletes one of them with its recording.',
    params,
    answer: z.object({ success: z.literal(true), message: z.string() }),
  }),
}
