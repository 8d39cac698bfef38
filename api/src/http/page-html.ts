import type { IncomingMessage, ServerResponse } from 'node:http'
import { compressedCopies, keepFile, sendKept, type KeptFile } from './kept-copies.ts'

/** What the first HTML of a page says of itself: its status, and tags that take the place of the template's. */
export interface PageHead {
  readonly status: 200 | 404
  readonly html: string
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
) {
  const kept = new Map<string, KeptFile>()
  return async (request: IncomingMessage, response: ServerResponse, fallback: 200 | 404): Promise<void> => {
    try {
      const { status, html } = await headOf(request)
      sendKept(request, response, pageWith(html), status)
    } catch (error) {
      onError(error)
      if (!response.headersSent) sendKept(request, response, pageWith(''), fallback)
    }
  }

  function pageWith(head: string): KeptFile {
    const known = kept.get(head)
    if (known) return known
    const body = Buffer.from(head === '' ? template : withHead(template, head))
    const page = keepFile(body, 'text/html; charset=utf-8', headers, compressedCopies(body))
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
    kept.set(head, page)
    return page
  }
}

/** The template with these tags for its title and description. */
export const withHead = (template: string, head: string): string =>
  template
    .replace(/\s*<meta\s+name="description"[^>]*>/, '')
    // A function: '$' in a title is a '$'.
    .replace(/<title>[^<]*<\/title>/, () => head)

/** The template with more tags at the end of its head. */
export const withTags = (template: string, tags: string): string =>
  tags === '' ? template : template.replace('</head>', () => `${tags}</head>`)
