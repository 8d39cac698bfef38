import { z } from 'zod'
import { plainLines } from '../plain-text.ts'
import { listeningTexts } from './listening.texts.ts'

/** How many characters a note has at most. */
const noteLength = 2_000

/** A person's note about a moment of a teaching. */
export const noteText = plainLines('The note')
  .max(noteLength, { error: listeningTexts.noteTooLong })
  .min(1, { error: listeningTexts.noteEmpty })

/** A note of a person about a moment of a teaching. */
export const listeningNote = z.object({
  id: z.uuid(),
  /** The teaching's. */
  uid: z.uuid(),
  /** The second that it belongs to. */
  seconds: z.number().nonnegative().max(86_400),
  /** Empty in a removed note, which stays as a tombstone. */
  text: z.string().max(noteLength),
  createdAt: z.number(),
  /** When it was written, changed or removed, epoch milliseconds: on a merge the later one wins. */
  changedAt: z.number(),
  removed: z.boolean(),
})
export type ListeningNote = z.infer<typeof listeningNote>
