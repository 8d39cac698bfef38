import type { Page, Response } from 'playwright-core'

/** What a page complained of. */
export interface WatchedConsole {
  /** The complaints that nobody announced. */
  noise(): readonly string[]
  /** Every answer from 400 on, with what was asked and in which words it was refused. */
  refusals(): Promise<readonly string[]>
}

/**
 * Listens to all that a page complains of: errors and warnings of its console, uncaught exceptions, answers from 400
 * on and requests without an answer. The last two read `401 /api/auth/login` and `net::ERR_CONNECTION_REFUSED /api/sync`.
 *
 * @param allow the refusals that a test provokes, as such lines or patterns of them
 */
export function watchConsole(
  page: Page,
  { allow = [] }: { allow?: readonly Allowed[] } = {},
): WatchedConsole {
  const heard: string[] = []
  const refused: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(describeRefusal(response))
  })
  page.on('pageerror', (error) => heard.push(`uncaught ${error.name}: ${error.message}`))
  page.on('crash', () => heard.push('the page crashed'))
  page.on('console', (message) => {
    if (!['error', 'warning', 'assert'].includes(message.type())) return
    const text = message.text()
    const [, status, failure] = networkLine.exec(text) ?? []
    heard.push(status || failure ? `${status ?? failure} ${pathOf(message.location().url)}` : text)
  })
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? 'failed'
    // The page itself let go of it: it was left, or a recording was closed. (A 304 without a body reads the same.)
    if (why !== 'net::ERR_ABORTED') heard.push(`${why} ${pathOf(request.url())}`)
  })
  return {
    noise: () =>
      heard.filter((line) => !allow.some((one) => (one instanceof RegExp ? one.test(line) : one === line))),
    refusals: () => Promise.all(refused),
  }
}

async function describeRefusal(response: Response): Promise<string> {
  const request = response.request()
  const from = request.headers()['upload-offset']
  const words = await response.text().catch(() => '')
  return `${request.method()} ${pathOf(request.url())}${from ? ` from ${from}` : ''}: ${response.status()} ${words.slice(0, 200)}`
}

export type Allowed = string | RegExp

const networkLine = /^Failed to load resource: (?:the server responded with a status of (\d+)|(net::\w+))/

const pathOf = (address: string) => (URL.canParse(address) ? new URL(address).pathname : address)
