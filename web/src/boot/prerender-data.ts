import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { firstDataId, type FirstData } from '@fellowship/schema/pages/prerender-data'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

let data: FirstData | undefined
let read = false

/**
 * What the first HTML was drawn from, and came along in it: drawn anew from the same, the page does not change under
 * the reader's eyes. Empty where the page came from the device.
 */
function firstData(): FirstData {
  if (!read && typeof document !== 'undefined') {
    read = true
    const block = document.getElementById(firstDataId)?.textContent
    if (block) data = JSON.parse(block) as FirstData
  }
  return data ?? none
}

/** Undefined where it is not known; none at all counts as not known. */
export const firstElders = (): readonly Elder[] | undefined => known(firstData().elders)
/** The newest ones alone. */
export const firstTeachings = (): readonly Teaching[] | undefined => known(firstData().teachings)

/** Those that the page quotes, as far as there are any; undefined where the page did not come along with them. */
export const firstPassages = (): readonly Passage[] | undefined => firstData().passages

/** Where the elders are reached, on the server alone: a browser has it from the page. */
export const drawnContact = (): string | undefined => data?.contactEmail

/** Whether the page came drawn for somebody who is not signed in. */
export const isFirstVisitor = (): boolean => firstData().visitor === true
/** Whether it came drawn for somebody with a session. */
export const isFirstMember = (): boolean => firstData().visitor === false

/** On the server, right before a page is drawn. */
export function renderFrom(next: FirstData): void {
  data = next
}

const known = <Row>(rows: readonly Row[]) => (rows.length > 0 ? rows : undefined)
const none: FirstData = { elders: [], teachings: [] }
