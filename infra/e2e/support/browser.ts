import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium, type BrowserContext, type BrowserContextOptions } from 'playwright-core'

/** A real Chromium with a profile of its own. */
export interface TestBrowser {
  readonly context: BrowserContext
  readonly profile: string
  /** Another person's browser: cookies and storage of its own, in the same process. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

interface BrowserOptions extends BrowserContextOptions {
  /** An earlier profile to go on with; a fresh one otherwise. */
  profile?: string
  headless?: boolean
  /** A Chromium that cannot open windows is enough, and costs less; it does not read the browser's settings. */
  windowless?: boolean
  /** The text size chosen in the browser's settings, in pixels; 16 unless told. */
  textSizePx?: number
}

/**
 * Starts the Chromium of this machine (CHROMIUM_PATH, or where Debian and others put it), else the one that npm
 * brought along. Where there is none without windows, one with windows takes its place.
 */
export async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const {
    profile = await mkdtemp(path.join(tmpdir(), 'chromium-')),
    headless = true,
    windowless = false,
    textSizePx,
    ...contextOptions
  } = options
  const { executablePath, args, env } = await findChromium(windowless)
  if (textSizePx !== undefined) await chooseTextSize(profile, textSizePx)
  const context = await chromium.launchPersistentContext(profile, {
    ...defaults,
    ...contextOptions,
    executablePath,
    headless,
    args: [...args, ...flags],
    ...(env && { env }),
  })
  context.setDefaultTimeout(timeoutMs)
  // The browser ends with this process; so does what it wrote.
  const removeProfile = () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  if (!options.profile) process.once('exit', removeProfile)
  return {
    context,
    profile,
    async newContext(own = {}) {
      const added = await context.browser()!.newContext({ ...defaults, ...own })
      added.setDefaultTimeout(timeoutMs)
      return added
    },
    async close() {
      const closed = context.close().then(
        () => true,
        () => true,
      )
      const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), timeoutMs).unref())
      // A browser that does not go when it is asked goes by force: its profile names it.
      if (!(await Promise.race([closed, late]))) spawnSync('pkill', ['-9', '-f', profile])
      if (options.profile) return
      removeProfile()
      process.off('exit', removeProfile)
    },
  }
}

/** Far more than anything takes: a busy machine is slow, which is no fault of the product. */
const timeoutMs = 30_000

const defaults: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  locale: 'en-NZ',
  timezoneId: 'Pacific/Auckland',
}

/** As the browser keeps what a person chose under Settings, Appearance. */
async function chooseTextSize(profile: string, px: number): Promise<void> {
  await mkdir(path.join(profile, 'Default'), { recursive: true })
  const preferences = { webkit: { webprefs: { default_font_size: px } } }
  await writeFile(path.join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
}

/**
 * Off: two pages of the address bar that every window would load, half of what a window costs, and, because the last
 * such list is the only one that counts, what Playwright leaves out for steady tests.
 */
const featuresOff = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** No sandbox: the tests may run as root. The rest keeps the browser from calling home. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${featuresOff.join(',')}`,
  '--autoplay-policy=no-user-gesture-required',
]

interface Found {
  executablePath: string
  args: string[]
  env?: Record<string, string>
}

async function findChromium(windowless: boolean): Promise<Found> {
  const places = [
    process.env['CHROMIUM_PATH'],
    windowless && '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]
  const executablePath = places.find((place) => place && existsSync(place))
  return executablePath ? { executablePath, args: [] } : packagedChromium()
}

/** The packaged browser brings its own libraries only where it believes to run on a bare function host. */
async function packagedChromium(): Promise<Found> {
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    const executablePath = await packaged.executablePath()
    const args = packaged.args.filter((flag) => !/^--(single-process|no-zygote|headless)/.test(flag))
    return { executablePath, args, env: process.env as Record<string, string> }
  } catch (error) {
    throw new Error('No Chromium: install Debian’s package `chromium`, or name one in CHROMIUM_PATH.', {
      cause: error,
    })
  }
}
