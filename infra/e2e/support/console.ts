import type { Page, Response } from 'playwright-core'

/** Errors and failed requests of a page. */
export interface WatchedConsole {
  /** Messages that `allow` does not match. */
  noise(): readonly string[]
  /** Every response from 400 on, with its request and body. */
  refusals(): Promise<readonly string[]>
}

/**
 * Records console errors and warnings, uncaught exceptions, responses from 400 on and failed requests. The last two read
 * `401 /api/auth/login` and `net::ERR_CONNECTION_REFUSED /api/sync`.
 *
 * @param allow the messages that a test provokes, as exact lines or patterns
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
    // Aborted by the page: it was left, or a recording was closed. (A 304 without a body is reported the same way.)
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
