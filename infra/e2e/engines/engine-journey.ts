import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest'
import type { Allowed } from '../support/console.ts'
import { libraryCalls, type LibraryCalls } from '../support/library-calls.ts'
import { startProduct, type Product } from '../support/product.ts'
import type { Engine, EngineBrowser, EngineOptions } from './engine-browser.ts'
import { screenOf, type Screen } from './screen.ts'

/** One product, and one browser profile of an engine that is kept from test to test. */
export interface EngineJourney extends LibraryCalls {
  readonly product: Product
  readonly url: string
  readonly screen: Screen
  /** Console messages that the rest of this test provokes. */
  allow(...messages: readonly Allowed[]): void
  /** Ends the browser and opens it again with the same profile. */
  openBrowserAgain(): Promise<void>
  startAgain(): Promise<void>
}

/** Starts product and browser for the tests of a `describe`; unexpected console messages fail the test. */
export function engineJourney(engine: Engine, options: Omit<EngineOptions, 'profile'> = {}): EngineJourney {
  let product: Product
  let profile: string
  let browser: EngineBrowser | undefined
  let screen: Screen
  let heard: string[] = []
  let allowed: readonly Allowed[] = []
  const openBrowser = async () => {
    browser = await engine.open({ ...options, profile })
    screen = screenOf(browser)
  }
  const closeBrowser = async () => {
    heard.push(...(browser?.takeConsole() ?? []))
    await browser?.close()
    browser = undefined
  }

  beforeAll(async () => {
    const missing = engine.missing()
    if (missing.length > 0) throw new Error(installing(engine, missing))
    profile = await mkdtemp(path.join(tmpdir(), 'engine-'))
    product = await startProduct(
      { LOG_LEVEL: 'warn', REGISTRATION: 'open' },
      { startedOnce: inject('startedOnce') },
    )
    await openBrowser()
  })
  beforeEach(async () => {
    allowed = []
    heard = []
    if (product.process.signalCode) product = await product.startAgain()
  })
  afterEach(async ({ task }) => {
    const failed = task.result?.state === 'fail'
    const shown = failed ? await screen.describe().catch(String) : ''
    // The device counts failed requests for a minute: at the limit those of this test would hold the next one back.
    await screen.inPage(() => localStorage.removeItem('sent-requests')).catch(() => undefined)
    // Whatever the page still does ends with the test.
    await browser?.goto('about:blank').catch((error: unknown) => heard.push(String(error)))
    heard.push(...(browser?.takeConsole() ?? []))
    const noise = heard.filter(
      (line) => !allowed.some((one) => (one instanceof RegExp ? one.test(line) : one === line)),
    )
    if (failed) console.log(`${engine.name}: ${shown}\n${noise.join('\n')}\n${product.output()}`)
    // The report of a failed test contains the words of the page.
    if (failed) expect.fail(`The page showed ${[...noise, shown].join(' | ').replaceAll(/\n+/g, ' | ')}`)
    expect(noise, 'The page complained').toEqual([])
  })
  afterAll(async () => {
    await closeBrowser()
    await product?.stop()
    if (profile) rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })

  return {
    get product() {
      return product
    },
    get url() {
      return product.url
    },
    get screen() {
      return screen
    },
    ...libraryCalls(() => product.url),
    allow(...messages) {
      allowed = [...allowed, ...messages]
    },
    async openBrowserAgain() {
      await closeBrowser()
      await openBrowser()
    },
    async startAgain() {
      product = await product.startAgain()
    },
  }
}

/** The way to install a missing engine. */
export const installing = ({ name }: Engine, missing: readonly string[]): string =>
  `${name} is not tested here. Install it with: sudo apt-get install --no-install-recommends ${missing.join(' ')}`
