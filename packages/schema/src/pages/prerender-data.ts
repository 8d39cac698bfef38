import type { Elder } from '../elders/elders.schema.ts'
import type { Passage } from '../passages/passages.schema.ts'
import type { Teaching } from '../teachings/teachings.schema.ts'

/** What the first HTML of a page is drawn from; it travels in the page, so that the browser can draw the same. */
export interface FirstData {
  /** In their shown order. */
  readonly elders: readonly Elder[]
  /** The newest, newest first. */
  readonly teachings: readonly Teaching[]
  /** Those that the page quotes in full, as far as there are any; absent where it quotes none. */
  readonly passages?: readonly Passage[] | undefined
  /** Where the elders are reached, if that was configured. */
  readonly contactEmail?: string | undefined
  /** Asked for by somebody who is not signed in. */
  readonly visitor?: boolean | undefined
}

/** Draws the inside of a page as the browser will. */
export type RenderPage = (path: string, data: FirstData) => Promise<string>

/** The element of the page that carries it. */
export const firstDataId = 'first-data'
/** As many teachings as the library shows at first. */
export const firstTeachingCount = 5
/** The page that quotes passages. */
export const quotingPath = '/about'
/** The pages that have one. */
export const firstHtmlPaths: readonly string[] = ['/', '/about', '/teaching']
