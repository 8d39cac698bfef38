import type { BrowserContext, BrowserContextOptions, CDPSession, Disposable, Page } from 'playwright-core'

/** What a page takes on without a browser of its own. */
const looks = ['viewport', 'reducedMotion', 'contrast', 'permissions'] as const
type Looks = Pick<BrowserContextOptions, (typeof looks)[number]>

export const onlyLooks = (options: BrowserContextOptions): options is Looks =>
  Object.keys(options).every((name) => (looks as readonly string[]).includes(name))

/** Browsers that go from test to test. */
export interface Visitors {
  /** An empty page of one that was at this site and nobody has in hand; of another one where there is none. */
  welcome(site: string, as: Looks): Promise<Page>
  /** Takes back all that were given out; to be used again only where all went well with them. */
  takeBack(wentWell: boolean): Promise<void>
}

interface Kept {
  readonly page: Page
  readonly context: BrowserContext
  inUse: boolean
  /** The address of the site. */
  readonly site: string
  /** What a test put into every page to come. */
  scripts: Disposable[]
  lines: CDPSession[]
  /** Has what no one can take out again. */
  spoilt: boolean
}

/**
 * The browsers of people who were here before: the site's files and its worker are on the device, and nothing else is,
 * neither of them nor of an earlier test. A browser of its own for each test would fetch the site, compile it and fill
 * its precache every time, which is most of what a short test costs.
 *
 * @param open a page in a browser that nobody has used
 */
export function keepVisitors(open: () => Promise<Page>): Visitors {
  let all: Kept[] = []

  async function another(site: string): Promise<Kept> {
    const page = await open()
    const context = page.context()
    const kept: Kept = { page, context, inUse: true, site, scripts: [], lines: [], spoilt: false }
    noteChanges(kept)
    return kept
  }

  return {
    async welcome(site, as) {
      // Who was at this site: workers of two sites in one browser have kept it from going offline.
      let visitor = all.find((one) => !one.inUse && one.site === site)
      if (visitor) visitor.inUse = true
      // A page that cannot be brought back is left where it is.
      if (visitor && !(await inTime(forget(visitor)))) {
        visitor.spoilt = true
        visitor = undefined
      }
      if (!visitor) all.push((visitor = await another(site)))
      await dress(visitor, as)
      return visitor.page
    },
    async takeBack(wentWell) {
      const used = all.filter(({ inUse }) => inUse)
      await Promise.all(
        used.map(async (visitor) => {
          visitor.inUse = false
          if (!wentWell || visitor.spoilt || !(await inTime(undo(visitor)))) {
            visitor.spoilt = true
            await inTime(close(visitor.context))
          }
        }),
      )
      all = all.filter(({ spoilt }) => !spoilt)
    },
  }
}

/** Requests still held by a test are let go before its context is closed. */
export async function close(context: BrowserContext): Promise<void> {
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await context.close()
}

/**
 * Whether tidying up went well. It is not the journey: a page that was just being reloaded can keep its context from
 * closing for minutes. What does not close ends with the browser.
 */
export async function inTime(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), 15_000)))
  const done = work.then(
    () => true,
    () => false,
  )
  return Promise.race([done, late]).finally(() => clearTimeout(timer))
}

function noteChanges(visitor: Kept): void {
  const { page, context } = visitor
  for (const owner of [page, context]) {
    const addInitScript = owner.addInitScript.bind(owner)
    owner.addInitScript = async (...call) => {
      const script = await addInitScript(...call)
      visitor.scripts.push(script)
      return script
    }
  }
  const newCDPSession = context.newCDPSession.bind(context)
  context.newCDPSession = async (target) => {
    const line = await newCDPSession(target)
    visitor.lines.push(line)
    return line
  }
  // A clock of the test's own goes on in every page to come.
  const install = context.clock.install.bind(context.clock)
  context.clock.install = async (options) => {
    visitor.spoilt = true
    await install(options)
  }
}

/** Leaves the site, and takes away what a test did to the page and to its browser. */
async function undo(visitor: Kept): Promise<void> {
  const { page, context, site, scripts, lines } = visitor
  if (page.isClosed()) throw new Error('The test closed it')
  for (const event of listenedTo) page.removeAllListeners(event)
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const others = context.pages().filter((other) => other !== page)
  await Promise.all(others.map((other) => other.close()))
  await Promise.all(scripts.map((script) => script.dispose()))
  // What it set goes with it; a test may have closed it already.
  await Promise.all(lines.map((line) => line.detach().catch(() => undefined)))
  visitor.scripts = []
  visitor.lines = []
  await context.setOffline(false)
  // Where the server is gone, it is left all the same.
  await page.goto(still(site)).catch(() => undefined)
}

/** A page of the site that runs nothing of it. From here on the same process of the browser goes on. */
const still = (site: string) => `${site}/robots.txt`

const listenedTo = [
  'request',
  'requestfailed',
  'response',
  'console',
  'pageerror',
  'crash',
  'framenavigated',
  'download',
]

/** What the site kept on this device, apart from its own files and the worker that answers with them. */
const storages = ['cookies', 'file_systems', 'indexeddb', 'local_storage', 'shader_cache', 'websql'].join(',')

async function forget({ page, context, site }: Kept): Promise<void> {
  if (page.url() !== still(site)) await page.goto(still(site))
  await page.evaluate(async () => {
    sessionStorage.clear()
    const registration = await navigator.serviceWorker.getRegistration()
    // One that is being installed would go on with what is taken away here.
    if (registration?.installing) await navigator.serviceWorker.ready
  })
  const line = await context.newCDPSession(page)
  await line.send('ServiceWorker.enable')
  await line.send('ServiceWorker.stopAllWorkers')
  // Only now: it may have been keeping something.
  await page.evaluate(async () => {
    for (const name of await caches.keys()) if (!name.includes('-precache-')) await caches.delete(name)
  })
  await line.send('Storage.clearDataForOrigin', { origin: site, storageTypes: storages })
  await line.send('Network.clearBrowserCache')
  await line.send('Page.resetNavigationHistory')
  await line.detach()
  await context.clearCookies()
}

async function dress({ page, context }: Kept, as: Looks): Promise<void> {
  const { viewport, reducedMotion = 'no-preference', contrast = 'no-preference', permissions } = as
  const size = viewport ?? { width: 1280, height: 800 }
  const { width, height } = page.viewportSize() ?? {}
  if (size.width !== width || size.height !== height) await page.setViewportSize(size)
  await page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion, contrast })
  await context.clearPermissions()
  if (permissions) await context.grantPermissions(permissions)
}
