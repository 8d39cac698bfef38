import { z } from 'zod'
import { plainLine, plainLines } from '../plain-text.ts'
import { slugLike } from '../text-folding.ts'
import { newShape, storedShape, text, writtenShape, type WrittenField } from '../sync/written-field.ts'
import { pageLimits as limits } from './written-pages.limits.ts'
import { pageTexts as texts } from './written-pages.texts.ts'

const line = (label: string) => plainLine(label).min(1).max(limits.line)
const words = (label: string) => plainLines(label).max(limits.words)
const list = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).max(limits.list)

/** The texts of Home, in the order of the page. */
export const homeParts = z.object({
  /** Before the name of the church. */
  greeting: line('Greeting'),
  introduction: words('Introduction'),
  /** The parts of a service. */
  service: list(z.object({ name: line('Name'), words: words('Description') })),
  eldersHeading: line('Heading of the elders'),
  elders: words('Introduction of the elders'),
  placeHeading: line('Heading of the map'),
})
export type HomeParts = z.infer<typeof homeParts>

/** The texts of About, in the order of the page. */
export const aboutParts = z.object({
  title: line('Title'),
  missionHeading: line('Heading of the mission'),
  mission: words('Mission'),
  churchHeading: line('Heading of the church'),
  /** Paragraphs with blank lines between them. */
  church: words('About the church'),
  /** Passages that the page quotes in full, each with its meaning in the church's own words. */
  quotes: list(z.object({ thought: line('Meaning'), reference: line('Reference') })),
  beliefsHeading: line('Heading of the beliefs'),
  /** `scripture` has references with semicolons between them. */
  beliefs: list(
    z.object({
      topic: line('Topic'),
      description: words('Description'),
      scripture: plainLine('References').max(limits.line),
    }),
  ),
  eldersHeading: line('Heading of the elders'),
})
export type AboutParts = z.infer<typeof aboutParts>

/** The pages that every site has, by their slug; they have parts instead of a text. */
export const fixedPages = { home: homeParts, about: aboutParts } as const
export type FixedSlug = keyof typeof fixedPages
export const isFixed = (slug: string): slug is FixedSlug => Object.hasOwn(fixedPages, slug)

/** The fields of a page that people write, each declared once. */
export const writtenPage = {
  title: text(plainLine('Title').min(1, { error: texts.titleRequired }).max(limits.title)),
  /** The only segment of its path. */
  slug: text(
    z
      .string()
      .max(limits.slug)
      .refine((slug) => slugLike.test(slug) && slug === slug.toLowerCase(), { error: texts.slugInvalid }),
  ),
  /** Plain text; `textBlocks` reads its headings, quotes and paragraphs. */
  text: { ...text(plainLines('Text').max(limits.text)), initial: '' },
  inNavigation: { stored: z.boolean(), written: z.boolean(), initial: false },
  /** Whether only administrators see it. */
  draft: { stored: z.boolean(), written: z.boolean(), initial: false },
} satisfies Record<string, WrittenField>

/** A page as it is synced. */
export const pageRow = z.object({
  id: z.int(),
  uid: z.uuid(),
  rev: z.int(),
  ...storedShape(writtenPage),
  /** Of a fixed page alone, see `fixedPages`. */
  parts: z.looseObject({}).nullable(),
  /** The middle size of its picture, `/images/…`; null if it has none, or the server does not support pictures yet. */
  imageUrl: z.string().nullable().default(null),
})
export type PageRow = z.infer<typeof pageRow>

export const newPage = z.object(newShape(writtenPage))
export type NewPage = z.infer<typeof newPage>

/** Any subset of the fields; `parts` is changed as a whole. */
export const pageEdit = z
  .object(writtenShape(writtenPage))
  .partial()
  .extend({
    parts: z.looseObject({}).optional(),
    /** The revision the edit started from; without it the last writer wins. */
    baseRev: z.int().min(0).optional(),
  })
/** The address of a page that everyone may read, besides Home and About; its path is decoded. */
export const pageLink = z.object({
  path: z.string(),
  title: z.string(),
  /** Whether the navigation leaves it out. */
  hidden: z.boolean(),
})
export type PageLink = z.infer<typeof pageLink>
