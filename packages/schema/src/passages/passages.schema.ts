import { z } from 'zod'

/** A scripture passage that a page or a popover may quote, with the line its publisher asks for. */
export const passage = z.object({
  uid: z.uuid(),
  rev: z.int(),
  /** 'Book Chapter:Verse' or 'Book Chapter:Verse-Verse'. */
  reference: z.string(),
  text: z.string(),
  translation: z.string(),
  copyrightLine: z.string(),
})
export type Passage = z.infer<typeof passage>

/** A passage before the server has stored it. */
export type NewPassage = Omit<Passage, 'uid' | 'rev'>
