import { prerenderDataId, type PrerenderData } from '@fellowship/schema/pages/prerender-data'

let data: PrerenderData | undefined
let isRead = false

/** The data the page was prerendered from, embedded in it: hydration needs the same. Undefined if it was not prerendered. */
export function prerenderData(): PrerenderData | undefined {
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
