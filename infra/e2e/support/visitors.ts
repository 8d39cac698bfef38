import type { BrowserContext, BrowserContextOptions, CDPSession, Disposable, Page } from 'playwright-core'

/** Options that can be changed on an existing page. */
const looks = ['viewport', 'reducedMotion', 'contrast', 'permissions'] as const
type Looks = Pick<BrowserContextOptions, (typeof looks)[number]>

export const onlyLooks = (options: BrowserContextOptions): options is Looks =>
  Object.keys(options).every((name) => (looks as readonly string[]).includes(name))

/** Browser contexts reused from test to test. */
export interface Visitors {
  /** An empty page of an unused context of this site, or of a new one. */
  acquire(site: string, as: Looks): Promise<Page>
  /**
   * Reuses no context of this site any more: its settings have changed, so each worker of these contexts would wait for its
   * successor in later tests. While one does, going offline may never end.
   */
  forget(site: string): Promise<void>
  /** Resets all acquired contexts for reuse, or closes them after a failure. */
  releaseAll(wentWell: boolean): Promise<void>
}

interface Visitor {
  readonly page: Page
  readonly context: BrowserContext
  inUse: boolean
  /** The origin of the site. */
  readonly site: string
  /** Init scripts added by a test. */
  scripts: Disposable[]
  lines: CDPSession[]
  /** Cannot be reset and is not reused. */
  tainted: boolean
}

/**
 * Reuses browser contexts that have the site's precache and service worker, and clears all other site data. A new context
 * for each test would fetch, compile and precache the site every time, most of the cost of a short test.
 *
 * @param open opens a page in a new context
 */
export function reuseContexts(open: () => Promise<Page>): Visitors {
  let all: Visitor[] = []

  async function create(site: string): Promise<Visitor> {
    const page = await open()
    const context = page.context()
    const visitor: Visitor = { page, context, inUse: true, site, scripts: [], lines: [], tainted: false }
    recordChanges(visitor)
    return visitor
  }

  return {
    async acquire(site, as) {
      // Same site only: workers of two sites in one context kept it from going offline.
      let visitor = all.find((one) => !one.inUse && one.site === site)
      if (visitor) visitor.inUse = true
      // A context that cannot be reset is not used.
      if (visitor && !(await inTime(clearSiteData(visitor)))) {
        visitor.tainted = true
        visitor = undefined
      }
      if (!visitor) all.push((visitor = await create(site)))
      await applyOptions(visitor, as)
      return visitor.page
    },
    async forget(site) {
      for (const visitor of all) if (visitor.site === site) visitor.tainted = true
      const idle = all.filter(({ tainted, inUse }) => tainted && !inUse)
      await Promise.all(idle.map(({ context }) => inTime(close(context))))
      all = all.filter((visitor) => !idle.includes(visitor))
    },
    async releaseAll(wentWell) {
      const used = all.filter(({ inUse }) => inUse)
      await Promise.all(
        used.map(async (visitor) => {
          visitor.inUse = false
          if (!wentWell || visitor.tainted || !(await inTime(resetPage(visitor)))) {
            visitor.tainted = true
            await inTime(close(visitor.context))
          }
        }),
      )
      all = all.filter(({ tainted }) => !tainted)
    },
  }
}

/** Releases requests still held by a test, then closes the context. */
export async function close(context: BrowserContext): Promise<void> {
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await context.close()
}

/**
 * Whether cleanup finished in time and without error. A page that is being reloaded can delay the closing of its context
 * for minutes; it then ends with the browser.
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

function recordChanges(visitor: Visitor): void {
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
  // A fake clock cannot be uninstalled.
  const install = context.clock.install.bind(context.clock)
  context.clock.install = async (options) => {
    visitor.tainted = true
    await install(options)
  }
}

/** Leaves the site and undoes a test's changes to page and context. */
async function resetPage(visitor: Visitor): Promise<void> {
  const { page, context, site, scripts, lines } = visitor
  if (page.isClosed()) throw new Error('The test closed it')
  for (const event of listenedTo) page.removeAllListeners(event)
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const others = context.pages().filter((other) => other !== page)
  await Promise.all(others.map((other) => other.close()))
  await Promise.all(scripts.map((script) => script.dispose()))
  // Detaching reverts its settings; a test may have detached it already.
  await Promise.all(lines.map((line) => line.detach().catch(() => undefined)))
  visitor.scripts = []
  visitor.lines = []
  await context.setOffline(false)
  // The navigation leaves the page even if the server is down.
  await page.goto(blankPage(site)).catch(() => undefined)
}

/** A page of the site without scripts; staying on the origin keeps its renderer process. */
const blankPage = (site: string) => `${site}/robots.txt`

const listenedTo = [
  'request',
  'requestfailed',
  'response',
  'console',
  'pageerror',
  'crash',
  'framenavigated',
  'download',
  'dialog',
]

/** Site data other than caches and the service worker. */
const storages = ['cookies', 'file_systems', 'indexeddb', 'local_storage', 'shader_cache', 'websql'].join(',')

async function clearSiteData({ page, context, site }: Visitor): Promise<void> {
  if (page.url() !== blankPage(site)) await page.goto(blankPage(site))
  await page.evaluate(async () => {
    sessionStorage.clear()
    const registration = await navigator.serviceWorker.getRegistration()
    // An installing worker would write to the storage that is cleared here.
    if (registration?.installing) await navigator.serviceWorker.ready
  })
  const line = await context.newCDPSession(page)
  await line.send('ServiceWorker.enable')
  await line.send('ServiceWorker.stopAllWorkers')
  // After the worker has stopped, since it may be writing.
  await page.evaluate(async () => {
    for (const name of await caches.keys()) if (!name.includes('-precache-')) await caches.delete(name)
  })
  await line.send('Storage.clearDataForOrigin', { origin: site, storageTypes: storages })
  await line.send('Network.clearBrowserCache')
  await line.send('Page.resetNavigationHistory')
  await line.detach()
  await context.clearCookies()
}

/** Without motion unless the test asks for it: each frame is drawn by the processor. New contexts keep it. */
async function applyOptions({ page, context }: Visitor, as: Looks): Promise<void> {
  const { viewport, reducedMotion = 'reduce', contrast = 'no-preference', permissions } = as
  const size = viewport ?? { width: 1280, height: 800 }
  const { width, height } = page.viewportSize() ?? {}
  if (size.width !== width || size.height !== height) await page.setViewportSize(size)
  await page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion, contrast })
  await context.clearPermissions()
  if (permissions) await context.grantPermissions(permissions)
}
