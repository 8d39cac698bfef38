import type { PrerenderedPart } from '@fellowship/schema/pages/prerender-data'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { VisitDetails } from '@fellowship/schema/visit/visit.schema'
import { prerenderData } from './prerender-data.ts'

/*
 * What the page was prerendered from, for the parts that show it. They are loaded after the frame of the page, so that
 * this is not in the first scripts.
 */

/** All elders, possibly none; undefined where the page was not prerendered. */
export const firstElders = (): readonly Elder[] | undefined => prerenderData()?.elders
/** The newest teachings only; undefined where unknown or empty. */
export const firstTeachings = (): readonly Teaching[] | undefined => known(prerenderData()?.teachings)
/** What a person who plans a visit is told; undefined where unknown or empty. */
export const firstVisit = (): VisitDetails | undefined => prerenderData()?.visit
/** Every year that has a teaching, newest first; undefined where the page was not prerendered. */
export const firstYears = (): readonly number[] | undefined => prerenderData()?.years
/** The passages that the page names, without those it quotes; undefined where it was not prerendered. */
export const firstNamed = (): readonly Passage[] | undefined => prerenderData()?.named
/** The passages that the page quotes; undefined where it was not prerendered. */
export const firstPassages = (): readonly Passage[] | undefined => prerenderData()?.passages

/** What the page at this path was prerendered from; undefined for every other page. */
export const firstPartOf = (path: string): PrerenderedPart | undefined => {
  const part = prerenderData()?.part
  return part?.path === path ? part : undefined
}

const known = <Row>(rows: readonly Row[] | undefined) => (rows && rows.length > 0 ? rows : undefined)
