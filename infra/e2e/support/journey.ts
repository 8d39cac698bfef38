import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching, TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { openBrowser, type TestBrowser } from './browser.ts'
import { watchConsole, type Allowed, type WatchedConsole } from './console.ts'
import {
  administrator,
  handOver,
  member,
  register,
  signInByCall,
  type Person,
  type Session,
} from './people.ts'
import { startProduct, type Product } from './product.ts'
import type { Recording } from './recordings.ts'
import { serveTiles, type Tiles } from './tiles.ts'
import { close, inTime, keepVisitors, onlyLooks, type Visitors } from './visitors.ts'

interface Visit extends BrowserContextOptions {
  /** Who is signed in already; nobody unless told. */
  as?: Person
  /** Somebody who was never here: nothing of the site is on the device yet. */
  firstVisit?: boolean
  /** What the page will complain of (see `watchConsole`). */
  allow?: readonly Allowed[]
}

/** One product and one browser for the journeys of a file. */
export interface Journey {
  readonly product: Product
  readonly url: string
  /** Where its map comes from. */
  readonly tiles: Tiles
  /**
   * Opens a page of the site in somebody's browser, which has the site's files and its worker, as far as earlier tests
   * came, and nothing else. A first visit has a browser of its own, and so has what no page can take on, such as another
   * kind of device.
   */
  visit(path: string, visit?: Visit): Promise<Page>
  /** Another page of the same browser, watched alike. */
  visitBeside(page: Page, path: string, allow?: readonly Allowed[]): Promise<Page>
  /** Somebody's session, for calls past the screens. */
  session(person?: Person): Promise<Session>
  /** Adds a teaching past the screens. */
  add(recording: Recording, fields: Partial<TeachingFields>): Promise<Teaching>
  list(): Promise<Teaching[]>
  /** Deletes all teachings. */
  empty(): Promise<void>
  /** Starts the product again after it was killed, also with other settings. */
  startAgain(changed?: Record<string, string>): Promise<void>
}

/**
 * A page's first HTML is there before its script; who looks for something to press, waits until there is somebody behind
 * it, as a person would without knowing, and has a hand at the mouse: a page that nobody touches is read first.
 */
function waitForHands(page: Page): void {
  const goto = page.goto.bind(page)
  page.goto = async (...call) => {
    const answer = await goto(...call)
    await page.locator('[data-first]').waitFor({ state: 'detached' })
    await page.mouse.move(0, 0)
    return answer
  }
}

/**
 * What the files of a worker have in common: a browser, who visits with it, where the map comes from, and the address of
 * the site. It is another product in each file; for the browser it is the same site.
 */
interface Surroundings {
  browser: TestBrowser
  visitors: Visitors
  tiles: Tiles
  /** By their settings, which are in the page that a browser keeps; none until the first product has chosen one. */
  ports: Map<string, number>
}

let shared: Surroundings | undefined

async function deps(): Promise<Surroundings> {
  if (shared?.browser.context.browser()?.isConnected()) return shared
  const tiles = shared?.tiles ?? (await serveTiles())
  const browser = await openBrowser({ windowless: true })
  const visitors = keepVisitors(async () => newPage(await browser.newContext()))
  return (shared = { browser, visitors, tiles, ports: shared?.ports ?? new Map<string, number>() })
}

async function newPage(context: BrowserContext, scripted = true): Promise<Page> {
  const page = await context.newPage()
  if (scripted) waitForHands(page)
  return page
}

/**
 * Starts a product for the tests of a file, and ends it; it was started once before, unless `firstStart` says that there
 * is nothing yet. After each test its pages are closed; what one of them complained of unannounced fails the test.
 */
export function journey(
  env: Record<string, string> = {},
  { firstStart = false }: { firstStart?: boolean } = {},
): Journey {
  let product: Product
  let around: Surroundings
  const sessions = new Map<Person, Promise<Session>>()
  let contexts: BrowserContext[] = []
  let pages: { page: Page; console: WatchedConsole }[] = []

  beforeAll(async () => {
    around = await deps()
    const { tiles, ports } = around
    const port = ports.get(JSON.stringify(env)) ?? 0
    Object.assign(tiles, { asked: [], refusing: false })
    const settings = { REGISTRATION: 'open', LOG_LEVEL: 'warn', TILE_URL: tiles.url, ...env }
    const folder = firstStart ? {} : { startedOnce: inject('startedOnce') }
    product = await startProduct(settings, { port, ...folder }).catch((error: Error) => {
      // Between two products somebody else may have taken it: then the browser meets the site under another address.
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
      around.visitors.takeBack(wentWell),
      ...contexts.map((context) => inTime(close(context))),
    ])
    contexts = []
    pages = []
    expect(noise, 'The page complained').toEqual([])
  })
  afterAll(async () => {
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
    const context = await around.browser.newContext(options)
    contexts.push(context)
    return newPage(context, options.javaScriptEnabled)
  }

  const session = (person: Person = administrator) => {
    const known = sessions.get(person) ?? signInByCall(product.url, person)
    sessions.set(person, known)
    return known
  }
  const list = () =>
    fetch(`${product.url}/api/teachings`).then((answer) => answer.json() as Promise<Teaching[]>)

  return {
    get product() {
      return product
    },
    get url() {
      return product.url
    },
    get tiles() {
      return around.tiles
    },
    async visit(path, { as, allow = [], firstVisit = false, ...options } = {}) {
      const known = !firstVisit && onlyLooks(options)
      const page = known ? await around.visitors.welcome(product.url, options) : await ownBrowser(options)
      if (as) await handOver(await session(as), page.context())
      return open(page, path, allow)
    },
    visitBeside: async (page, path, allow = []) => open(await newPage(page.context()), path, allow),
    session,
    async add({ name, mimeType, buffer }, fields) {
      const file = new File([new Uint8Array(buffer)], name, { type: mimeType })
      const body = { ...fields, overrideData: JSON.stringify(fields) }
      const input = { body, files: { audioFile: file } }
      return (await call(uploads.smartUpload, input, await session())).teaching
    },
    list,
    async empty() {
      const transport = await session()
      for (const { id } of await list()) await call(teachings.remove, { params: { id } }, transport)
    },
    async startAgain(changed) {
      product = await product.startAgain(changed)
    },
  }
}
