import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium, type BrowserContext, type BrowserContextOptions } from 'playwright-core'

/** A real Chromium with its own profile. */
export interface TestBrowser {
  readonly context: BrowserContext
  readonly profile: string
  /** A separate context with its own cookies and storage, in the same process. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

interface BrowserOptions extends BrowserContextOptions {
  /** An existing profile folder; a new one by default. */
  profile?: string
  headless?: boolean
  /** Prefers the headless shell, which starts faster; it does not read the profile's preferences. */
  windowless?: boolean
  /** The default font size of the browser's settings in pixels; 16 by default. */
  textSizePx?: number
}

/**
 * Starts the installed Chromium (CHROMIUM_PATH, or the usual paths), else the packaged one. Without a headless shell, the
 * full browser runs headless.
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
  const ownFlags = windowless
    ? [...flags, turnOff([...featuresOff, scriptStreaming]), lightJavaScript, ...fewerProcesses]
    : [...flags, turnOff(featuresOff)]
  if (textSizePx !== undefined) await chooseTextSize(profile, textSizePx)
  const context = await chromium.launchPersistentContext(profile, {
    ...defaults,
    ...contextOptions,
    executablePath,
    headless,
    args: [...args, ...ownFlags],
    ...(env && { env }),
  })
  context.setDefaultTimeout(timeoutMs)
  // The browser ends with this process, and its profile is removed.
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
      // A browser that does not close is killed; the profile folder identifies its processes.
      if (!(await Promise.race([closed, late]))) spawnSync('pkill', ['-9', '-f', profile])
      if (options.profile) return
      removeProfile()
      process.off('exit', removeProfile)
    },
  }
}

/** Generous, since tests run on busy machines. */
const timeoutMs = 60_000

const defaults: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  locale: 'en-NZ',
  timezoneId: 'Pacific/Auckland',
}

/** Writes the preference of Settings, Appearance. */
async function chooseTextSize(profile: string, px: number): Promise<void> {
  await mkdir(path.join(profile, 'Default'), { recursive: true })
  const preferences = { webkit: { webprefs: { default_font_size: px } } }
  await writeFile(path.join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
}

/**
 * Two features of the address bar that cost half of a window's start; the rest is Playwright's own list, which has to be
 * repeated since only the last --disable-features counts.
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

/** Compiling scripts while they arrive: it shortens a wait, and costs a page an eighth of its processor time. */
const scriptStreaming = 'ScriptStreaming'

const turnOff = (off: readonly string[]) => `--disable-features=${off.join(',')}`

/** No sandbox, since tests may run as root. Most others stop background requests. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
]

/**
 * A page of a journey lives for seconds: only code that runs for long is worth optimising, such as an audit of its
 * accessibility or the hash of a recording.
 */
const lightJavaScript = '--js-flags=--interrupt-budget=500000 --single-threaded-gc'

/** Drawing and network in the browser's own process: their messages cost a tenth of a page. The first two are Playwright's. */
const fewerProcesses = [
  '--in-process-gpu',
  '--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies,NetworkServiceInProcess2',
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

/** The packaged browser uses its bundled libraries only if it detects a serverless host. */
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
