import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { PrerenderedPart } from '@fellowship/schema/pages/prerender-data'
import type { Passage } from '@fellowship/schema/passages/passages.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { VisitDetails } from '@fellowship/schema/visit/visit.contract'
import { prerenderData } from './prerender-data.ts'

/*
 * The parts of the data that the page was prerendered from. Pages load after the frame around them, so this is not in the first
 * scripts.
 */

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
