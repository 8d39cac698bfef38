import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { ComingDate } from '@fellowship/schema/events/events.schema'
import type { NoticeRow } from '@fellowship/schema/notices/notices.contract'
import type { PrerenderedPart } from '@fellowship/schema/pages/prerender-data'
import type { Passage } from '@fellowship/schema/passages/passages.contract'
import type { PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { prerenderData } from './prerender-data.ts'

/*
 * The parts of the data that the page was prerendered from. Pages load after the frame around them, so this is not in the first
 * scripts.
 */

/** Coming dates of events, soonest first, and the notices of the day. */
export interface Calendar {
  readonly dates: readonly ComingDate[]
  readonly notices: readonly NoticeRow[]
}

/** All elders, possibly none; undefined if the page was not prerendered. */
export const firstElders = (): readonly Elder[] | undefined => prerenderData()?.elders
/** The newest teachings only; undefined if unknown or empty. */
export const firstTeachings = (): readonly Teaching[] | undefined => known(prerenderData()?.teachings)
/** The next dates of events and the notices of the day, on Home; undefined if it was not prerendered. */
export const firstCalendar = (): Calendar | undefined => {
  const { coming, notices } = prerenderData() ?? {}
  return coming && notices && { dates: coming, notices }
}
/** The written page at the address that was prerendered; undefined if it is another one. */
export const firstWritten = (): PageRow | undefined => prerenderData()?.written
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
