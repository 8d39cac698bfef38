import { setChurch } from '@fellowship/schema/church'
import { prerenderDataId, siteDataId, type PrerenderData } from '@fellowship/schema/pages/prerender-data'
import type { Site } from '@fellowship/schema/site/site.contract'
import { readStored } from '../lib/site-storage.ts'

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
  if (next.site) setChurch(next.site)
}

/** Key of the identity of the site in the browser's storage. */
export const storedSite = 'site'

/**
 * Reads the identity of the site from the page. A page that a service worker has cached for starts offline may be older than
 * this device's copy; a prerendered one is hydrated with its own.
 */
export function readSite(isPrerendered: boolean): void {
  const own = JSON.parse(document.getElementById(siteDataId)?.textContent ?? 'null') as Site | null
  const stored = isPrerendered ? undefined : (readStored(storedSite) as Site | undefined)
  const site = stored && stored.rev > (own?.rev ?? -1) ? stored : own
  if (site) setChurch(site)
}

/** Whether the page was prerendered for a visitor who is not signed in. */
export const isFirstVisitor = (): boolean => prerenderData()?.visitor === true
/** Whether the page was prerendered for a request with a session. */
export const isFirstMember = (): boolean => prerenderData()?.visitor === false
