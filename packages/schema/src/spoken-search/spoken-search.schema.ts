import { z } from 'zod'
import { spokenTexts as texts } from './spoken-search.texts.ts'

/** Made from the content, so that another content has another address. */
const contentId = z.string().regex(/^[\w-]{16}$/, { error: texts.contentId })

/** The words that have numbers: as many pieces as were made by then. Without a piece its id is empty. */
const dictionaryState = z.object({ id: z.union([contentId, z.literal('')]), pieces: z.int().min(0) })
export type DictionaryState = z.infer<typeof dictionaryState>

/** Everything that a device can fetch of the index. */
export const spokenList = z.object({
  dictionary: dictionaryState,
  /** Texts of the whole library, and the bytes that it costs to fetch all of them, compressed. */
  texts: z.int().min(0),
  bytes: z.int().min(0),
  years: z.array(z.object({ year: z.int(), id: contentId })),
  /** The texts approved last, each by itself. */
  recent: z.array(z.object({ uid: z.uuid(), rev: z.int(), id: contentId })),
})
export type SpokenList = z.infer<typeof spokenList>

/** The words of approved texts; see `spoken-words.ts`. */
export const spokenPack = z.object({
  /** Which words the numbers mean. */
  dictionary: dictionaryState,
  texts: z.array(z.object({ uid: z.uuid(), rev: z.int(), numbers: z.string(), own: z.string() })),
})
export type SpokenPack = z.infer<typeof spokenPack>
export type PackedText = SpokenPack['texts'][number]

/** The pieces of the dictionary from a number on. */
export const spokenDictionary = z.object({ id: contentId, from: z.int().min(0), pieces: z.array(z.string()) })
export type SpokenDictionary = z.infer<typeof spokenDictionary>

/** An approved text as the search needs it. */
export const saidSentences = z.object({
  rev: z.int(),
  sentences: z.array(z.object({ start: z.int().nullable(), text: z.string() })),
})
export type SaidSentences = z.infer<typeof saidSentences>

const marked = { text: z.string(), marks: z.array(z.tuple([z.int(), z.int()])) }

/** A teaching in which it was said, with the sentences that come nearest to the query. */
const said = z.object({
  uid: z.uuid(),
  sentences: z.array(
    z.object({
      ...marked,
      at: z.int(),
      /** Milliseconds; null if no time is known. */
      start: z.int().nullable(),
      before: z.object(marked).nullable(),
      after: z.object(marked).nullable(),
    }),
  ),
})
export type Said = z.infer<typeof said>

export const saidAnswer = z.object({ total: z.int(), teachings: z.array(said) })
export type SaidAnswer = z.infer<typeof saidAnswer>

export const contentIdParam = z.object({ id: contentId })
