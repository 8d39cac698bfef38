import { z } from 'zod'
import { chapterLimits as limits } from './chapters.limits.ts'
import { chapterTitle, type Chapter } from './chapters.ts'

/** Chapters as podcast apps read them (podcastindex.org, JSON chapters 1.2); `teaching` is ours, which they skip. */
export const chaptersJson = z.object({
  version: z.string(),
  chapters: z.array(
    z.object({ startTime: z.number(), title: z.string(), teaching: z.literal(true).optional() }),
  ),
})
export type ChaptersJson = z.infer<typeof chaptersJson>

export const jsonOf = (chapters: readonly Chapter[]): ChaptersJson => ({
  version: '1.2.0',
  chapters: chapters.map((chapter) => ({
    startTime: chapter.seconds,
    title: chapterTitle(chapter),
    ...(chapter.isTeaching && { teaching: true as const }),
  })),
})

const foreign = z.object({
  chapters: z.array(
    z.object({
      startTime: z.number().min(0).max(359_999),
      title: z.string().optional().catch(undefined),
      /** A false one is a picture without an entry in the table of contents. */
      toc: z.boolean().optional().catch(undefined),
      teaching: z.boolean().optional().catch(undefined),
    }),
  ),
})

/** The chapters of a JSON document of another site; none if it is of another shape. */
export function chaptersOfJson(document: unknown): Chapter[] {
  const read = foreign.safeParse(document)
  if (!read.success) return []
  return foreignChapters(
    read.data.chapters
      .filter(({ toc }) => toc !== false)
      .map(({ startTime, title = '', teaching = false }) => ({ seconds: startTime, title, teaching })),
  )
}

/** Chapters as another program wrote them: titles without control characters, and one at which the teaching starts. */
export function foreignChapters(
  given: readonly { seconds: number; title: string; teaching?: boolean }[],
): Chapter[] {
  const plain = given
    .map(({ seconds, title, teaching = false }) => ({
      seconds: Math.floor(seconds),
      title: title
        .replaceAll(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\s]+/gu, ' ')
        .trim()
        .slice(0, limits.title)
        .trim(),
      teaching,
    }))
    .filter(({ title }) => title !== '')
  const marked = plain.findIndex(({ teaching }) => teaching)
  const start = marked >= 0 ? marked : plain.findIndex(({ title }) => namesTeaching.test(title))
  return plain.map(({ seconds, title }, at) => ({ seconds, title, isTeaching: at === start }))
}

const namesTeaching = /^(?:the )?(?:teaching|sermon|message|preaching|bible talk)\b/i
