import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { freePort } from '@fellowship/api/testing/free-port'
import { openBrowser, type TestBrowser } from './browser.ts'
import { watchConsole, type Allowed, type WatchedConsole } from './console.ts'
import { libraryCalls, type LibraryCalls } from './library-calls.ts'
import { addSessionCookie, member, register, type Person, type TestSession } from './people.ts'
import { startProduct, type Product } from './product.ts'
import { serveTiles, type Tiles } from './tiles.ts'
import { close, inTime, reuseContexts, onlyLooks, type Visitors } from './visitors.ts'

interface Visit extends BrowserContextOptions {
  /** The signed-in user; none by default. */
  as?: Person
  /** A new browser context without any site data. */
  firstVisit?: boolean
  /** Expected console messages and failures (see `watchConsole`). */
  allow?: readonly Allowed[]
}

/** One product and one browser for the tests of a file. */
export interface Journey extends LibraryCalls {
  readonly product: Product
  readonly url: string
  /** The tile server of its map. */
  readonly tiles: Tiles
  /**
   * Opens a page in a reused browser context, which has the site's precache and service worker and no other site data. A
   * first visit gets a new context, and so do options that cannot be changed later, such as touch.
   */
  visit(path: string, visit?: Visit): Promise<Page>
  /** Another page in the same context, also watched. */
  visitBeside(page: Page, path: string, allow?: readonly Allowed[]): Promise<Page>
  /** Starts the product again after it was killed, also with other settings. */
  startAgain(changed?: Record<string, string>): Promise<void>
}

/**
 * Makes goto wait for hydration, and moves the mouse first: hydration is deferred until an interaction.
 */
function waitForHydration(page: Page): void {
  const goto = page.goto.bind(page)
  page.goto = async (...call) => {
    const answer = await goto(...call)
    await page.locator('[data-first]').waitFor({ state: 'detached' })
    await page.mouse.move(0, 0)
    return answer
  }
}

/**
 * Shared by the test files of a worker: browser, reused contexts, tile server, and the port of the site. Each file starts
 * its own product on the same origin.
 */
interface Shared {
  browser: TestBrowser
  visitors: Visitors
  tiles: Tiles
  /** Ports by product settings, since settings are part of cached pages. */
  ports: Map<string, number>
}

let shared: Shared | undefined

async function sharedDeps(): Promise<Shared> {
  if (shared?.browser.context.browser()?.isConnected()) return shared
  const tiles = shared?.tiles ?? (await serveTiles())
  const browser = await openBrowser({ windowless: true })
  const visitors = reuseContexts(async () => newPage(await browser.newContext()))
  return (shared = { browser, visitors, tiles, ports: shared?.ports ?? new Map<string, number>() })
}

async function newPage(context: BrowserContext, scripted = true): Promise<Page> {
  const page = await context.newPage()
  if (scripted) waitForHydration(page)
  return page
}

/**
 * Starts a product for the tests of a file and stops it at the end. Its data folder is a copy of one that was started
 * before, or empty with `firstStart`. After each test its pages are closed; unexpected console messages fail the test.
 */
export function journey(
  env: Record<string, string> = {},
  { firstStart = false }: { firstStart?: boolean } = {},
): Journey {
  let product: Product
  let deps: Shared
  let hasOtherSettings = false
  const sessions = new Map<Person, Promise<TestSession>>()
  let contexts: BrowserContext[] = []
  let pages: { page: Page; console: WatchedConsole }[] = []

  beforeAll(async () => {
    deps = await sharedDeps()
    const { tiles, ports } = deps
    const port = ports.get(JSON.stringify(env)) ?? (await freePort())
    Object.assign(tiles, { asked: [], refusing: false })
    const settings = { REGISTRATION: 'open', LOG_LEVEL: 'warn', TILE_URL: tiles.url, ...env }
    const folder = firstStart ? {} : { startedOnce: inject('startedOnce') }
    product = await startProduct(settings, { port, ...folder }).catch((error: Error) => {
      // Another process took the port meanwhile: use a new origin.
      if (!error.message.includes('EADDRINUSE')) throw error
      return startProduct(settings, folder)
    })
    ports.set(JSON.stringify(env), Number(new URL(product.url).port))
    sessions.set(member, register(product.url, member))
    await sessions.get(member)
  })
  afterEach(async ({ task }) => {
    const noise = pages.flatMap(({ console }) => console.noise())
    const wentWell = task.result?.state !== 'fail' && noise.length === 0
    if (!wentWell) await describePages()
    await Promise.all([
      deps.visitors.releaseAll(wentWell),
      ...contexts.map((context) => inTime(close(context))),
    ])
    contexts = []
    pages = []
    expect(noise, 'The page complained').toEqual([])
  })
  afterAll(async () => {
    if (hasOtherSettings) await deps.visitors.forget(product.url)
    await product?.stop()
  })

  async function describePages(): Promise<void> {
    for (const { page, console: heard } of pages) {
      console.log((await Promise.race([heard.refusals(), pause(2_000)]))?.join('\n'))
      const screen = await page.locator('body').ariaSnapshot({ timeout: 2_000 }).catch(String)
      console.log(`${page.url()}\n${screen}\n`)
    }
    console.log(product.output())
  }

  async function open(page: Page, path: string, allow: readonly Allowed[]): Promise<Page> {
    pages.push({ page, console: watchConsole(page, { allow }) })
    await page.goto(product.url + path)
    return page
  }

  async function ownBrowser(options: BrowserContextOptions): Promise<Page> {
    const context = await deps.browser.newContext(options)
    contexts.push(context)
    return newPage(context, options.javaScriptEnabled)
  }

  const library = libraryCalls(() => product.url, sessions)

  return {
    get product() {
      return product
    },
    get url() {
      return product.url
    },
    get tiles() {
      return deps.tiles
    },
    async visit(path, { as, allow = [], firstVisit = false, ...options } = {}) {
      const known = !firstVisit && onlyLooks(options)
      const page = known ? await deps.visitors.acquire(product.url, options) : await ownBrowser(options)
      if (as) await addSessionCookie(await library.session(as), page.context())
      return open(page, path, allow)
    },
    visitBeside: async (page, path, allow = []) => open(await newPage(page.context()), path, allow),
    ...library,
    async startAgain(changed) {
      product = await product.startAgain(changed)
      hasOtherSettings ||= changed !== undefined
    },
  }
}
