import type { IncomingMessage, ServerResponse } from 'node:http'
import { partRelation } from '@fellowship/schema/pages/prerender-data'
import { element } from '../machine/xml.ts'
import { RecentMap } from '../machine/caches.ts'
import { sharedForAMinute } from './deliver.ts'
import { withInlineStyle } from './security-headers.ts'
import { compressNow, cacheFile, sendCached, type CachedFile } from './cached-files.ts'

/** The parts of a page that differ by request: its status, and the head tags that replace the template's. */
export interface PageHead {
  readonly status: 200 | 404
  /** The new path and query of a page that has moved: answered by 301 instead. */
  readonly movedTo?: string | undefined
  readonly html: string
  /** Attributes of the html element, each with a space before it. */
  readonly htmlAttributes?: string
  /** Whether the page may be kept, compressed, for the next request. */
  readonly isKept?: boolean
  /** Whether a cache in front may keep the page: it depends on nothing but its address. */
  readonly isShared?: boolean
  /** Whether the request is signed out and not from a service worker, which stores the page for the next start. */
  readonly isFirstVisit?: boolean
  /** The address of the page's recording, for browsers that cannot run the site. */
  readonly recording?: string | undefined
  /** The prerendered content, and the data block it was rendered from. */
  readonly body?: {
    readonly key: string
    /** The module of the client that hydrates it. */
    readonly module: string
    readonly html: string
    readonly data: string
  }
}

/** Decides the head of the requested page. */
export type HeadOf = (request: IncomingMessage) => Promise<PageHead>

/** Pages are requested repeatedly, such as a teaching whose link was shared. */
const maxCached = 200

/**
 * Sends pages made from the built template, each with its own head. The last ones are cached, compressed.
 * If the head cannot be made (the database is unavailable), the plain template is sent.
 */
export function pageSender(
  template: string,
  headers: Record<string, string>,
  headOf: HeadOf,
  onError: (error: unknown) => void,
  stylesheet: (address: string) => string | undefined = () => undefined,
) {
  const inlined = inlineStyle(template, stylesheet)
  const styledHeaders = inlined ? withInlineStyle(headers, inlined.css) : headers
  const cached = new RecentMap<CachedFile>(maxCached)
  return async (request: IncomingMessage, response: ServerResponse, fallback: 200 | 404): Promise<void> => {
    try {
      const head = await headOf(request)
      if (head.movedTo !== undefined) {
        // An address that a title gives back later leads here again, so that no browser may keep the way.
        response.writeHead(301, { ...headers, location: head.movedTo, 'content-length': 0 }).end()
        return
      }
      sendCached(request, response, pageWith(head), head.status)
    } catch (error) {
      onError(error)
      if (!response.headersSent) sendCached(request, response, pageWith(undefined), fallback)
    }
  }

  function headersOf(head: PageHead | undefined): Record<string, string> {
    const own = head?.body ? styledHeaders : headers
    // If cookies decide, a cache in front has to know it also of answers that it may store.
    const varied = head ? { ...own, vary: 'accept-encoding, cookie' } : own
    return head?.isShared ? { ...varied, 'cache-control': sharedForAMinute } : varied
  }

  function pageWith(head: PageHead | undefined): CachedFile {
    const key = head
      ? [head.htmlAttributes, head.body?.key, head.isFirstVisit, head.isShared, head.html].join('\n')
      : ''
    const known = cached.get(key)
    if (known) return known
    const body = Buffer.from(head ? withBody(withHead(template, head), head, inlined) : template)
    if (head?.isKept === false) return cacheFile(body, 'text/html; charset=utf-8', headersOf(head))
    const page = cacheFile(body, 'text/html; charset=utf-8', headersOf(head), compressNow(body))
    cached.set(key, page)
    return page
  }
}

/** The template with these tags for its title and description. */
const withHead = (template: string, { html: head, recording }: PageHead): string =>
  template
    .replace('<!--recording-->', () =>
      recording === undefined
        ? ''
        : element('a', { href: recording, class: 'underline' }, 'Open the recording itself.'),
    )
    .replace(/\s*<meta\s+name="description"[^>]*>/, '')
    // A function, because '$' in a replacement string is special.
    .replace(/<title>[^<]*<\/title>/, () => head)

/** The page with prerendered content and its stylesheet inlined, so that it paints without another request. */
function withBody(
  page: string,
  { htmlAttributes = '', body, isFirstVisit = false }: PageHead,
  inlined: Inlined | undefined,
): string {
  const displayed = htmlAttributes === '' ? page : page.replace('<html', () => `<html${htmlAttributes}`)
  if (!body) return displayed.replace(partLinks, '')
  const styled = inlined ? displayed.replace(inlined.link, () => inlined.style) : displayed
  const preload = isFirstVisit ? fetchedMeanwhile : askedForLater
  const preloads = [...styled.matchAll(scriptLinks)]
    .filter(([, relation]) => relation === 'modulepreload' || relation === partRelation(body.module))
    .map(([, , attributes]) => `<link ${preload}${attributes}>`)
    .join('')
  // Content before scripts: nothing competes with it on a slow connection.
  const whole = styled
    .replace(scriptLinks, '')
    .replaceAll('<script type="module"', '$& fetchpriority="low"')
    .replace('<div id="root"></div>', () => `<div id="root" data-first="">${body.html}</div>${body.data}`)
    .replace('</body>', () => `${preloads}</body>`)
  return isFirstVisit ? forFirstVisit(whole) : whole
}

/** The scripts of a first visit come over the network while the page is laid out. */
const fetchedMeanwhile = 'rel="modulepreload" fetchpriority="low"'
/** Those that a device has are there at once, and would take the processor from it: the first script asks for them. */
const askedForLater = 'rel="later"'

/** The page without parts that can wait for hydration, which then comes sooner. */
const forFirstVisit = (page: string): string =>
  page
    .replace('<html', '<html data-fonts="later"')
    .replace(fontPreloads, '')
    .replace('<script type="module"', `${laidOutOnce}$&`)

const fontPreloads = /\s*<link rel="preload" as="font"[^>]*>/g

/**
 * Has browsers that know it paint the content when all of it has arrived, a few packets after its beginning: painted in two
 * parts it is laid out twice.
 */
const laidOutOnce = '<link rel="expect" href="#toasts" blocking="render">'

/** The reference to scripts of single pages in the template. */
const partLinks = new RegExp(String.raw`\s*<link rel="${partRelation('')}[^>]*>`, 'g')

/** The references to scripts of every page, and to those of single ones, in the template. */
const scriptLinks = new RegExp(
  String.raw`\s*<link rel="(modulepreload|${partRelation('')}[^"]*)"([^>]*)>`,
  'g',
)

interface Inlined {
  readonly css: string
  readonly link: string
  readonly style: string
}

/** The template's stylesheet, to be inlined. */
function inlineStyle(
  template: string,
  stylesheet: (address: string) => string | undefined,
): Inlined | undefined {
  const [link, address = ''] = /<link rel="stylesheet"[^>]*href="([^"]+)">/.exec(template) ?? []
  const style = link && stylesheet(address)
  if (!link || !style) return undefined
  // The link stays, disabled: chunks loaded later check whether the page has the stylesheet already.
  return { css: style, link, style: `<style>${style}</style>${link.replace('>', ' disabled>')}` }
}

/** The template with further tags at the end of its head. */
export const withTags = (template: string, tags: string): string =>
  tags === '' ? template : template.replace('</head>', () => `${tags}</head>`)
