import type { IncomingMessage } from 'node:http'
import type { Problem } from '@fellowship/schema/problem'
import { escapeMarkup } from '../machine/xml.ts'
import { withInlineStyle } from './security-headers.ts'

/** Whether a browser navigates: it gets a page, while scripts, pictures and other programs get what they can read. */
export const wantsPage = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /\btext\/html\b/.test(String(headers.accept ?? ''))

/** The body of a refusal and its headers: a page for a browser that navigates, else the one shape of all calls. */
export function failureAnswer(
  request: Pick<IncomingMessage, 'headers'>,
  problem: Problem,
  headers: Readonly<Record<string, string>>,
): { headers: Record<string, string>; body: string } {
  const own = { 'cache-control': 'no-store' }
  if (!wantsPage(request)) {
    const type = 'application/json; charset=utf-8'
    return { headers: { ...headers, ...own, 'content-type': type }, body: JSON.stringify(problem.toBody()) }
  }
  const styled = withInlineStyle({ ...headers }, style)
  return {
    headers: { ...styled, ...own, 'content-type': 'text/html; charset=utf-8' },
    body: pageOf(problem),
  }
}

/** Plain, since it has to be whole where nothing else of the site can be reached. */
const style = `:root{color-scheme:light dark}body{margin:0;padding:12vh 1.5rem;font:1.125rem/1.6 Georgia,serif;\
background:light-dark(#fbf8f2,#14201c);color:light-dark(#22302b,#ede8dc)}main{max-width:36rem;margin:auto}\
h1{font-size:1.75rem;line-height:1.25;font-weight:500}a{color:inherit}`

function pageOf({ message, status, extra }: Problem): string {
  const home = typeof extra['address'] === 'string' ? extra['address'] : '/'
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${status}</title><style>${style}</style></head>
<body><main><h1>${escapeMarkup(message)}</h1><p><a href="${escapeMarkup(home)}">Go to the home page</a></p></main></body>
</html>
`
}
