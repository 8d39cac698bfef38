import type { IncomingMessage, ServerResponse } from 'node:http'
import { compressedCopies, copyToDevice, sendKept, type KeptFile } from './kept-copies.ts'

/** What the first HTML of a page says of itself: its status, and tags that take the place of the template's. */
export interface PageHead {
  readonly status: 200 | 404
  readonly html: string
  /** Attributes of the page's own element, each with a space before it. */
  readonly look?: string
  /** What stands in the page before its script has run, and the block of data it was drawn from. */
  readonly body?: { readonly key: string; readonly html: string; readonly data: string }
}

/** Decides the head of the page that a request asks for. */
export type HeadOf = (request: IncomingMessage) => Promise<PageHead>

/** Pages asked for again and again; a shared teaching among them. */
const mostKept = 200

/**
 * Sends pages made from the built template, each with its own head. The last few are kept with their compressed copies.
 * Where the head cannot be told (the database is away), the template itself is better than no page.
 */
export function pageSender(
  template: string,
  headers: Record<string, string>,
  headOf: HeadOf,
  onError: (error: unknown) => void,
  stylesheet: (address: string) => string | undefined = () => undefined,
) {
  const inlined = inlineStyle(template, stylesheet)
  const kept = new Map<string, KeptFile>()
  return async (request: IncomingMessage, response: ServerResponse, fallback: 200 | 404): Promise<void> => {
    try {
      const head = await headOf(request)
      sendKept(request, response, pageWith(head), head.status)
    } catch (error) {
      onError(error)
      if (!response.headersSent) sendKept(request, response, pageWith(undefined), fallback)
    }
  }

  function pageWith(head: PageHead | undefined): KeptFile {
    const key = head ? [head.look, head.body?.key, head.html].join('\n') : ''
    const known = kept.get(key)
    if (known) return known
    const body = Buffer.from(head ? withBody(withHead(template, head.html), head, inlined) : template)
    const page = copyToDevice(body, 'text/html; charset=utf-8', headers, compressedCopies(body))
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
    kept.set(key, page)
    return page
  }
}

/** The template with these tags for its title and description. */
export const withHead = (template: string, head: string): string =>
  template
    .replace(/\s*<meta\s+name="description"[^>]*>/, '')
    // A function: '$' in a title is a '$'.
    .replace(/<title>[^<]*<\/title>/, () => head)

/** The page as it looks before its script has run: drawn, with its style in it, so that nothing else is waited for. */
function withBody(page: string, { look = '', body }: PageHead, inlined: Inlined | undefined): string {
  const dressed = look === '' ? page : page.replace('<html', () => `<html${look}`)
  if (!body) return dressed
  const styled = inlined ? dressed.replace(inlined.link, () => inlined.style) : dressed
  // What is to be read comes before what makes it work: the first script asks for the others, which are named here, once the page is seen.
  return styled
    .replaceAll('<link rel="modulepreload"', '<link rel="later"')
    .replaceAll('<script type="module"', '$& fetchpriority="low"')
    .replace('<div id="root"></div>', () => `<div id="root" data-first="">${body.html}</div>${body.data}`)
}

interface Inlined {
  readonly link: string
  readonly style: string
}

/** The template's stylesheet, to stand in the page itself. */
function inlineStyle(
  template: string,
  stylesheet: (address: string) => string | undefined,
): Inlined | undefined {
  const [link, address = ''] = /<link rel="stylesheet"[^>]*href="([^"]+)">/.exec(template) ?? []
  const style = link && stylesheet(address)
  if (!link || !style) return undefined
  // Named still, but not fetched: parts that come later ask whether the page has it already.
  return { link, style: `<style>${style}</style>${link.replace('>', ' disabled>')}` }
}

/** The template with more tags at the end of its head. */
export const withTags = (template: string, tags: string): string =>
  tags === '' ? template : template.replace('</head>', () => `${tags}</head>`)
