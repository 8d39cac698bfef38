import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium, type BrowserContext, type BrowserContextOptions } from 'playwright-core'

/** A real Chromium with a profile of its own. */
export interface TestBrowser {
  readonly context: BrowserContext
  readonly profile: string
  close(): Promise<void>
}

/**
 * Starts the Chromium of this machine (CHROMIUM_PATH, or where Debian and others put it), else the one that npm
 * brought along.
 *
 * @param profile an earlier profile to go on with; a fresh one otherwise
 */
export async function openBrowser(
  options: BrowserContextOptions & { profile?: string; headless?: boolean } = {},
): Promise<TestBrowser> {
  const { profile = await mkdtemp(path.join(tmpdir(), 'chromium-')), ...contextOptions } = options
  const { executablePath, args, env } = await findChromium()
  const context = await chromium.launchPersistentContext(profile, {
    viewport: { width: 1280, height: 800 },
    locale: 'en-NZ',
    timezoneId: 'Pacific/Auckland',
    ...contextOptions,
    executablePath,
    headless: true,
    args: [...args, ...flags],
    ...(env && { env }),
  })
  context.setDefaultTimeout(15_000)
  return {
    context,
    profile,
    async close() {
      await context.close()
      if (!options.profile) await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** No sandbox: the tests may run as root. The rest keeps the browser from calling home. */
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

interface Found {
  executablePath: string
  args: string[]
  env?: Record<string, string>
}

async function findChromium(): Promise<Found> {
  const places = [
    process.env['CHROMIUM_PATH'],
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
