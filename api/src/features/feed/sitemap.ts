import { browsePath } from '@fellowship/schema/pages/places'
import { eventsPath } from '@fellowship/schema/events/event-address'
import { seriesPath } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { teachingGroups } from '@fellowship/schema/teachings/teaching-groups'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { church } from '@fellowship/schema/church'
import { textElement } from '../../machine/xml.ts'
import { pageOf } from './teaching-facts.ts'

/** The format's limit per file. */
const maxAddresses = 50_000
const publicPages = ['/', '/about', '/teaching', browsePath, eventsPath]

/** The public pages, and one address for each speaker, book, series and teaching. */
export function sitemapXml(
  origin: string,
  teachings: readonly Teaching[],
  series: readonly Series[] = [],
): string {
  const written = (church().links ?? []).map(({ path }) => encodeURI(path))
  const pages = [...publicPages, ...written].map((path) => (path === '/' ? `${origin}/` : origin + path))
  const groups = [...teachingGroups(teachings).keys()].map((path) => origin + encodeURI(path))
  const ofSeries = series.map((each) => origin + seriesPath(each))
  const addresses = [
    ...pages,
    ...groups,
    ...ofSeries,
    ...teachings.map((teaching) => pageOf(origin, teaching)),
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...addresses.slice(0, maxAddresses).map((address) => `  <url>${textElement('loc', address)}</url>`),
    '</urlset>',
    '',
  ].join('\n')
}

/** Allows public pages to crawlers, and disallows those behind a sign-in. */
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
