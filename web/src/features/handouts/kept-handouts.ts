import {
  type Handout,
  handoutAddress,
  handoutAt,
  handoutCache,
} from '@fellowship/schema/handouts/handout-file'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { watch } from '@fellowship/sync/client/engine/live'
import { readRecordings } from '@fellowship/sync/client/saved-audio/audio-store'
import { listen } from '../../lib/listen.ts'

/** The handouts that a device should have. */
interface Wanted {
  readonly handouts: readonly Handout[]
  /** Whether all others may be removed. */
  readonly isWhole: boolean
}

/**
 * Stores the handouts of saved recordings for use offline, and removes them with their recordings or when their teachings no longer
 * have them. Goes on for as long as the page is open.
 */
export function keepHandouts(): void {
  let wanted: Wanted | undefined
  const renew = () => void (wanted && oneAtATime(() => renewCache(wanted!)))
  const take = (found: Wanted) => {
    wanted = found
    renew()
  }
  watch(read, take, () => undefined)
  listen(window, ['online'], renew)
}

async function read(): Promise<Wanted> {
  const uids = [...new Set((await readRecordings()).map(({ teachingUid }) => teachingUid))]
  const rows = (await appDatabase().teachings.bulkGet(uids)).filter((row) => row !== undefined)
  // Without any row the library may not be here yet.
  return {
    handouts: rows.flatMap(({ handouts }) => handouts ?? []),
    isWhole: uids.length === 0 || rows.length > 0,
  }
}

/**
 * Bytes of the handouts on this device, with those that are about to be fetched, so that it is never less than there is. For a
 * live query.
 */
export async function keptHandoutBytes(): Promise<number> {
  const { handouts } = await read()
  const sizes = new Map(handouts.map((handout) => [handoutAddress(handout), handout.bytes]))
  // Browsers that block storage have none.
  const storage = globalThis.caches as CacheStorage | undefined
  if (await storage?.has(handoutCache).catch(() => false)) {
    const cache = await storage!.open(handoutCache)
    for (const { url } of await cache.keys()) {
      const { pathname } = new URL(url)
      if (!sizes.has(pathname)) sizes.set(pathname, (await (await cache.match(pathname))?.blob())?.size ?? 0)
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
}

async function renewCache({ handouts, isWhole }: Wanted): Promise<void> {
  if (!(await caches.has(handoutCache)) && handouts.length === 0) return
  const cache = await caches.open(handoutCache)
  const addresses = new Set(handouts.map(handoutAddress))
  for (const request of isWhole ? await cache.keys() : [])
    if (!addresses.has(new URL(request.url).pathname)) await cache.delete(request)
  for (const address of addresses)
    if (!(await cache.match(address))) await fetchInto(cache, address).catch(() => undefined)
}

/** Portals answer with a page of their own: stored are only the bytes that the address names. */
async function fetchInto(cache: Cache, address: string): Promise<void> {
  const response = await fetch(address)
  const bytes = await response.arrayBuffer()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  if (!response.ok || handoutAt(address)?.hash !== hash) return
  const headers = keptHeaders.flatMap((name): [string, string][] => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  await cache.put(address, new Response(bytes, { headers }))
}

/** Without those about ranges, which a cache does not answer. */
const keptHeaders = [
  'content-type',
  'content-disposition',
  'content-security-policy',
  'x-content-type-options',
]

/** In one tab at a time, so that no file is fetched twice. */
const oneAtATime = (work: () => Promise<void>): Promise<void> =>
  (navigator.locks ? navigator.locks.request(handoutCache, work) : work()).catch(() => undefined)
