import type { IncomingMessage } from 'node:http'
import { Problem } from '@fellowship/schema/problem'
import { isPage } from '@fellowship/schema/routes'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Context } from '../../context.ts'
import { decodedPath } from '../../http/caller.ts'
import { rawRoute, type RawRoute } from '../../http/deliver.ts'
import { siteOrigin } from '../../http/origins.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { findTeachingByUid } from '../teachings/teachings.ts'
import type { IncomingTeaching } from '@fellowship/schema/imports/incoming-teaching'
import { oldAddressRows, oldAddressesVersion, type NewOldAddress, type OldAddress } from './imports.sql.ts'

/**
 * The form in which an address is compared: path and query, without its host, as the old site's name leads here. Undefined if
 * the path belongs to this site.
 */
export function oldAddressOf(address: string): string | undefined {
  if (!URL.canParse(address, 'http://here')) return undefined
  const { pathname, search } = new URL(address, 'http://here')
  const bare = pathname.replace(/\/+$/, '') || '/'
  const isOurs = (isPage(decodedPath(bare)) && search === '') || ours.test(bare)
  return isOurs || bare.length + search.length > 2_000 ? undefined : bare + search
}

/** Routes and built files, which an address of another site must not hide. */
const ours = new RegExp(
  [
    String.raw`^/(?:api|audio|images|covers|assets|icons|artwork|screenshots|passages|\.well-known)(?:/|$)`,
    String.raw`^/(?:feed\.xml|sitemap\.xml|robots\.txt|events\.ics|metrics|index\.html)$`,
    String.raw`^/[^/]+\.(?:m?js|css|webmanifest|json|ico|svg|png|woff2|map)$`,
  ].join('|'),
  'i',
)

/** The old addresses of an item: its pages and its recording. */
export function addressesOf(
  { pages, audio }: IncomingTeaching,
  teaching: string,
  importId: string,
): NewOldAddress[] {
  const rows = [
    ...pages.map((page) => ({ from: page, kind: 'page' as const })),
    ...(/^https?:/.test(audio) ? [{ from: audio, kind: 'recording' as const }] : []),
  ]
  const found = new Map<string, NewOldAddress>()
  for (const { from, kind } of rows) {
    const address = oldAddressOf(from)
    if (address !== undefined && !found.has(address))
      found.set(address, { address, kind, teaching, importId })
  }
  return [...found.values()]
}

/** Leads old addresses on. `targetOf` returns the path that an address leads to; undefined if it leads nowhere. */
export interface OldAddresses {
  readonly route: RawRoute
  targetOf(url: string): Promise<string | undefined>
}

/** The old addresses are in memory: every request is compared with them. */
export async function oldAddresses(context: Context): Promise<OldAddresses> {
  const { sql, config, log, changes } = context
  let known: ReadonlyMap<string, OldAddress> = new Map()
  let version = ''
  let isReading = false
  async function refresh(): Promise<void> {
    const current = await oldAddressesVersion(sql)
    if (current === version) return
    known = new Map((await oldAddressRows(sql)).map((row) => [row.address, row]))
    version = current
  }
  const tryRefresh = () =>
    refresh().catch((error: unknown) => log.warn({ err: error }, 'old addresses could not be read'))
  await tryRefresh()
  changes.listen(() => {
    if (isReading) return
    isReading = true
    // Changes of an import come in quick succession.
    const later = setTimeout(() => {
      isReading = false
      void tryRefresh()
    }, 300)
    later.unref()
  })

  const at = (url: string) => {
    if (known.size === 0) return undefined
    const address = oldAddressOf(url)
    return address === undefined ? undefined : (known.get(address) ?? known.get(address.replace(/\?.*$/, '')))
  }
  async function targetOf(url: string): Promise<string | undefined> {
    const found = at(url)
    if (!found) return undefined
    if (found.kind === 'feed') return '/feed.xml'
    const teaching = await findTeachingByUid(sql, found.teaching!)
    if (!teaching) return undefined
    return found.kind === 'page' ? teachingPath(teaching) : (teaching.audioUrl ?? undefined)
  }
  const headers = securityHeaders(config)
  const route = rawRoute(context, {
    matches: (request) =>
      (request.method === 'GET' || request.method === 'HEAD') && at(request.url ?? '/') !== undefined,
    failureHeaders: headers,
    async send(request: IncomingMessage, response) {
      const target = await targetOf(request.url ?? '/')
      if (target === undefined)
        throw new Problem('not_found', 'This teaching was moved here, and is not in the library any more.')
      const location = siteOrigin(config, request) + target
      response
        .writeHead(301, { ...headers, location, 'cache-control': 'no-cache', 'content-length': 0 })
        .end()
    },
  })
  return { route, targetOf }
}
