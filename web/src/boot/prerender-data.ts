import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { firstDataId, type FirstData } from '@fellowship/schema/pages/prerender-data'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

let data: FirstData | undefined
let isRead = false

/** The data the page was prerendered from, embedded in it: hydration needs the same. Empty where it was not prerendered. */
function firstData(): FirstData {
  if (!isRead && typeof document !== 'undefined') {
    isRead = true
    const block = document.getElementById(firstDataId)?.textContent
    if (block) data = JSON.parse(block) as FirstData
  }
  return data ?? none
}

/** Undefined where unknown or empty. */
export const firstElders = (): readonly Elder[] | undefined => known(firstData().elders)
/** The newest teachings only; undefined where unknown or empty. */
export const firstTeachings = (): readonly Teaching[] | undefined => known(firstData().teachings)

/** The passages that the page quotes; undefined where it was not prerendered. */
export const firstPassages = (): readonly Passage[] | undefined => firstData().passages

/** The elders' e-mail address while prerendering; a browser reads it from the page. */
export const prerenderedContact = (): string | undefined => data?.contactEmail

/** Whether the page was prerendered for a visitor who is not signed in. */
export const isFirstVisitor = (): boolean => firstData().visitor === true
/** Whether the page was prerendered for a request with a session. */
export const isFirstMember = (): boolean => firstData().visitor === false

/** Sets the data that the server prerenders the next page from. */
export function renderFrom(next: FirstData): void {
  data = next
}

const known = <Row>(rows: readonly Row[]) => (rows.length > 0 ? rows : undefined)
const none: FirstData = { elders: [], teachings: [] }
