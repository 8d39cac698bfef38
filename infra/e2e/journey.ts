import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching, TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
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

interface Visit extends BrowserContextOptions {
  /** Who is signed in already; nobody unless told. */
  as?: Person
  /** What the page will complain of (see `watchConsole`). */
  allow?: readonly Allowed[]
}

/** One product and one browser for the journeys of a file. */
export interface Journey {
  readonly product: Product
  readonly url: string
  /** Where its map comes from. */
  readonly tiles: Tiles
  /** Opens a page of the site in a browser of its own. */
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
  /** Starts the product again after it was killed. */
  startAgain(): Promise<void>
}

/**
 * Closing tidies up, it is not the journey: a page that was just being reloaded can keep its context from closing for
 * minutes. Requests still held by a test are let go first, and what does not close ends with the browser.
 */
async function close(context: BrowserContext): Promise<void> {
  const closed = context.unrouteAll({ behavior: 'ignoreErrors' }).then(() => context.close())
  await Promise.race([closed.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 15_000))])
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
 * Starts the product and the browser for the tests of a file, and ends them. After each test its pages are closed;
 * what one of them complained of unannounced fails the test.
 */
export function journey(env: Record<string, string> = {}): Journey {
  let product: Product
  let browser: TestBrowser
  let tiles: Tiles
  const sessions = new Map<Person, Promise<Session>>()
  let contexts: BrowserContext[] = []
  let pages: { page: Page; console: WatchedConsole }[] = []

  beforeAll(async () => {
    tiles = await serveTiles()
    product = await startProduct({ REGISTRATION: 'open', LOG_LEVEL: 'warn', TILE_URL: tiles.url, ...env })
    browser = await openBrowser()
    sessions.set(member, register(product.url, member))
    await sessions.get(member)
  })
  afterEach(async ({ task }) => {
    const noise = pages.flatMap(({ console }) => console.noise())
    if (task.result?.state === 'fail' || noise.length > 0) await describePages()
    await Promise.all(contexts.map(close))
    contexts = []
    pages = []
    expect(noise, 'The page complained').toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await product?.stop()
    tiles?.close()
  })

  async function describePages(): Promise<void> {
    for (const { page, console: heard } of pages) {
      console.log((await Promise.race([heard.refusals(), pause(2_000)]))?.join('\n'))
      const screen = await page.locator('body').ariaSnapshot({ timeout: 2_000 }).catch(String)
      console.log(`${page.url()}\n${screen}\n`)
    }
    console.log(product.output())
  }

  async function open(
    context: BrowserContext,
    path: string,
    allow: readonly Allowed[],
    scripted = true,
  ): Promise<Page> {
    const page = await context.newPage()
    pages.push({ page, console: watchConsole(page, { allow }) })
    if (scripted) waitForHands(page)
    await page.goto(product.url + path)
    return page
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
      return tiles
    },
    async visit(path, { as, allow = [], ...options } = {}) {
      const context = await browser.newContext(options)
      contexts.push(context)
      if (as) await handOver(await session(as), context)
      return open(context, path, allow, options.javaScriptEnabled)
    },
    visitBeside: (page, path, allow = []) => open(page.context(), path, allow),
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
    async startAgain() {
      product = await product.startAgain()
    },
  }
}
