import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { textElement } from '../../http/markup.ts'
import { pageOf } from './teaching-facts.ts'

/** What the format allows in one file. */
const mostAddresses = 50_000
const publicPages = ['/', '/about', '/teaching']

/** The public pages and one address for each teaching. */
export function sitemapXml(origin: string, teachings: readonly Teaching[]): string {
  const pages = publicPages.map((path) => (path === '/' ? `${origin}/` : origin + path))
  const addresses = [...pages, ...teachings.map((teaching) => pageOf(origin, teaching))]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...addresses.slice(0, mostAddresses).map((address) => `  <url>${textElement('loc', address)}</url>`),
    '</urlset>',
    '',
  ].join('\n')
}

/** Everything public may be read by machines; what is behind a sign-in says nothing to them. */
export const robotsTxt = (origin: string): string =>
  [
    'User-agent: *',
    'Disallow: /api/',
    'Disallow: /admin',
    'Disallow: /manage',
    '',
    `Sitemap: ${origin}/sitemap.xml`,
    '',
  ].join('\n')
