import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** A scripture passage for pages and popovers, with the copyright line of its publisher. */
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

/** The fields that a file of passages holds. */
export const passageFields = Object.keys(passage.omit({ uid: true, rev: true }).shape) as (keyof NewPassage)[]

export const passages = {
  list: endpoint({
    method: 'GET',
    path: '/api/passages',
    access: 'everyone',
    changes: false,
    summary: 'The scripture that pages and popovers may quote, in the order of the Bible.',
    answer: z.array(passage),
  }),
}
