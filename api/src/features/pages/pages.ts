import type { IncomingMessage } from 'node:http'
import { contactEmailMeta } from '@fellowship/schema/church'
import { mapTiles, tileUrlMeta } from '@fellowship/schema/map/map.limits'
import { freshPage, type RenderPage } from '@fellowship/schema/pages/prerender-data'
import { siteWords } from '@fellowship/schema/feed/site-words'
import { isPage } from '@fellowship/schema/routes'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { knownOrigins } from '../../http/known-origins.ts'
import type { PageHead } from '../../http/page-html.ts'
import type { PageSource } from '../../http/static-files.ts'
import { mayBeSignedIn } from '../../machine/sessions.ts'
import { findTeachingByUid } from '../teachings/teachings.ts'
import { chosenDisplay } from './chosen-display.ts'
import { prerenderedPages } from './prerendered-pages.ts'
import { headTags, type PageFacts } from './head-tags.ts'
import { churchData, teachingData } from './json-ld.ts'
import { element } from '../../http/markup.ts'
import { siteOrigin } from '../../http/site-origin.ts'
import { describe, pageOf } from '../feed/feed.ts'

/**
 * Head, status and prerendered content of each page; an unknown teaching is a 404 like an unknown path. Every page, also the
 * one in the service worker's cache, carries the configured tile URL and contact email.
 */
export function pageSource(
  context: Pick<Context, 'sql' | 'config' | 'log' | 'clock'>,
  renderPage?: RenderPage,
): PageSource {
  const prerendered = renderPage && prerenderedPages(context, renderPage)
  const { tileUrl, contactEmail, publicUrl } = context.config
  const isKnown = knownOrigins(context.clock)
  return {
    async headOf(request) {
      const origin = siteOrigin(context.config, request)
      const { status, facts } = await factsOf(context, origin, request)
      const htmlAttributes = chosenDisplay(request.headers.cookie)
      const visitor = !mayBeSignedIn(request.headers.cookie)
      const url = request.url ?? '/'
      const head = {
        status,
        html: headTags(origin, facts),
        htmlAttributes,
        isKept: publicUrl !== undefined || isKnown(origin),
        isShared:
          // Without PUBLIC_URL the page contains the Host header.
          publicUrl !== undefined &&
          status === 200 &&
          !facts.hidden &&
          visitor &&
          htmlAttributes === '' &&
          !url.endsWith(freshPage),
      }
      // A page with another query depends on it and is rendered by the browser only.
      const address = url.endsWith(freshPage) ? url.slice(0, -freshPage.length) : url
      const body =
        status === 200 && !address.includes('?') ? await prerendered?.(address, visitor) : undefined
      return { ...head, ...(body && { body }) }
    },
    commonHead: [
      ...(tileUrl === mapTiles.url ? [] : [element('meta', { name: tileUrlMeta, content: tileUrl })]),
      ...(contactEmail ? [element('meta', { name: contactEmailMeta, content: contactEmail })] : []),
    ].join(''),
    onError: (error) => context.log.error({ err: error }, 'a page went out without its head'),
  }
}

type Page = { status: PageHead['status']; facts: PageFacts }

async function factsOf(
  context: Pick<Context, 'sql'>,
  origin: string,
  request: IncomingMessage,
): Promise<Page> {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  const pathname = path === '/' ? path : path.replace(/\/$/, '')
  const page = pages[pathname]
  const wanted = pathname === '/teaching' ? new URLSearchParams(query).get('t') : null
  if (wanted !== null) {
    const teaching = isUid(wanted) ? await findTeachingByUid(context.sql, wanted.toLowerCase()) : undefined
    return teaching ? { status: 200, facts: teachingFacts(origin, teaching) } : unknown
  }
  if (page) {
    const canonical = pathname === '/' ? `${origin}/` : origin + pathname
    return { status: 200, facts: { ...page, canonical, data: churchData(origin) } }
  }
  return isPage(pathname) ? { status: 200, facts: hidden } : unknown
}

const pages: Readonly<Record<string, Pick<PageFacts, 'title' | 'description'>>> = {
  '/': { description: siteWords.description },
  '/about': { title: 'Who We Are', description: siteWords.about },
  '/teaching': { title: 'Teaching', description: siteWords.teaching },
}

const hidden: PageFacts = { description: siteWords.description, hidden: true }
const unknown: Page = { status: 404, facts: { ...hidden, title: '404 Page Not Found' } }

function teachingFacts(origin: string, teaching: Teaching): PageFacts {
  const { audioUrl, audioMime } = teaching
  return {
    title: shownTitle(teaching),
    description: describe(teaching),
    canonical: pageOf(origin, teaching),
    type: 'article',
    audio: audioUrl ? { url: origin + audioUrl, type: audioMime ?? 'audio/mpeg' } : undefined,
    data: teachingData(origin, teaching),
  }
}

const isUid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
