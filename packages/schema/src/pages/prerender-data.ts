import type { Elder } from '../elders/elders.schema.ts'
import type { ComingDate } from '../events/events.schema.ts'
import type { NoticeRow } from '../notices/notices.contract.ts'
import type { Passage } from '../passages/passages.contract.ts'
import type { SeriesAround } from '../series/series-address.ts'
import type { Teaching } from '../teachings/teachings.schema.ts'
import type { Paragraph } from '../transcripts/paragraphs.ts'
import type { PageRow } from '../written-pages/written-pages.schema.ts'
import type { Site } from '../site/site.contract.ts'

/** The data that a page is prerendered from; embedded in the page, so that hydration renders the same. */
export interface PrerenderData {
  /** By display order. */
  readonly elders: readonly Elder[]
  /** The newest, newest first. */
  readonly teachings: readonly Teaching[]
  /** Passages that the page quotes in full, as far as they exist; absent on a page without quotes. */
  readonly passages?: readonly Passage[] | undefined
  /** Passages behind the references on the page, besides those quoted in full. */
  readonly named?: readonly Passage[] | undefined
  /** Every year that has a teaching, newest first. */
  readonly years?: readonly number[] | undefined
  /** The part of the library that a page shows. */
  readonly part?: PrerenderedPart | undefined
  /** For the server alone: a page carries it in a block of its own. */
  readonly site?: Site | undefined
  /** Of Home: the next dates of events, and the notices of the day. */
  readonly coming?: readonly ComingDate[] | undefined
  readonly notices?: readonly NoticeRow[] | undefined
  /** The page that administrators wrote at this address, with Home and About. */
  readonly written?: PageRow | undefined
  /** Whether the request had no session. */
  readonly visitor?: boolean | undefined
}

/** Rows of the library that a page was rendered from, besides the newest. */
export interface PrerenderedPart {
  readonly path: string
  /** In the order of the page, `prerenderedRows` at most. */
  readonly rows: readonly Teaching[]
  /** A collection of teachings: its name, its description and its size. */
  readonly name?: string
  readonly description?: string
  /** The middle size of its picture. */
  readonly imageUrl?: string | null
  readonly count?: number
  /** Of a teaching: the series it is in. */
  readonly series?: readonly SeriesAround<Teaching>[]
  /** Of a teaching: its approved text. */
  readonly said?: readonly Paragraph[]
  /** Of the page of events: the next dates. */
  readonly dates?: readonly ComingDate[]
  /** Of a list of collections. */
  readonly groups?: readonly ListedCollection[]
}

/** A collection of teachings as the list of its kind names it. */
export interface ListedCollection {
  /** Of its page, not percent-encoded. */
  readonly path: string
  readonly name: string
  readonly count: number
  /** The middle size of a picture of its own. */
  readonly imageUrl?: string | null
}

/** Rows that the page of a collection shows initially. */
export const prerenderedRows = 20

/** Renders the body of a page as the client will. */
export type RenderPage = (path: string, data: PrerenderData) => Promise<string>

/** Id of the element that carries the identity of the site, on every page. */
export const siteDataId = 'site-data'
/** Id of the element that carries the data. */
export const prerenderDataId = 'first-data'
/** Teachings that the library shows initially. */
export const prerenderedTeachingCount = 5
/** Query that bypasses every cache in front of the server, so that a device never stores an outdated page. */
export const freshPage = '?fresh'
/** The pages that are prerendered, and the modules that hydrate them. */
export const prerenderedModules: Readonly<Record<string, string>> = {
  '/': 'home',
  '/about': 'about',
  '/teaching': 'teaching',
  '/listening': 'listening',
}
export const prerenderedPaths: readonly string[] = Object.keys(prerenderedModules)
/** The module of every other page that is prerendered. */
export const addressModule = 'by-address'
/** The relation of a link in the built page to a script that one of these modules needs. */
export const partRelation = (module: string): string => `part-of-${module}`
