import type { Elder } from '@fellowship/schema/elders/elders.schema'
import {
  prerenderDataId,
  type PrerenderData,
  type PrerenderedPart,
} from '@fellowship/schema/pages/prerender-data'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { VisitDetails } from '@fellowship/schema/visit/visit.schema'

let data: PrerenderData | undefined
let isRead = false

/** The data the page was prerendered from, embedded in it: hydration needs the same. Undefined if it was not prerendered. */
function prerenderData(): PrerenderData | undefined {
  if (!isRead && typeof document !== 'undefined') {
    isRead = true
    const block = document.getElementById(prerenderDataId)?.textContent
    if (block) data = JSON.parse(block) as PrerenderData
  }
  return data
}

/** Sets the data that the server prerenders the next page from. */
export function renderFrom(next: PrerenderData): void {
  data = next
}

/** The elders' email address while prerendering; a browser reads it from the page. */
export const prerenderedContact = (): string | undefined => data?.contactEmail

/** Whether the page was prerendered for a visitor who is not signed in. */
export const isFirstVisitor = (): boolean => prerenderData()?.visitor === true
/** Whether the page was prerendered for a request with a session. */
export const isFirstMember = (): boolean => prerenderData()?.visitor === false

/** All elders, possibly none; undefined if the page was not prerendered. */
export const firstElders = (): readonly Elder[] | undefined => prerenderData()?.elders
/** The newest teachings only; undefined if unknown or empty. */
export const firstTeachings = (): readonly Teaching[] | undefined => known(prerenderData()?.teachings)
/** The details for planning a visit; undefined if unknown or empty. */
export const firstVisit = (): VisitDetails | undefined => prerenderData()?.visit
/** Every year that has a teaching, newest first; undefined if the page was not prerendered. */
export const firstYears = (): readonly number[] | undefined => prerenderData()?.years
/** The passages that the page names, without those it quotes; undefined if it was not prerendered. */
export const firstNamed = (): readonly Passage[] | undefined => prerenderData()?.named
/** The passages that the page quotes; undefined if it was not prerendered. */
export const firstPassages = (): readonly Passage[] | undefined => prerenderData()?.passages

/** The data of the page at this path if it was prerendered; undefined for every other page. */
export const firstPartOf = (path: string): PrerenderedPart | undefined => {
  const part = prerenderData()?.part
  return part?.path === path ? part : undefined
}

const known = <Row>(rows: readonly Row[] | undefined) => (rows && rows.length > 0 ? rows : undefined)
