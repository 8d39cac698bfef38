import { existsSync } from 'node:fs'
import puppeteer, { type ElementHandle, type Page } from 'puppeteer-core'
import { commandMs, viewport, type Engine, type EngineBrowser, type EngineOptions } from './engine-browser.ts'

/** Firefox over WebDriver BiDi. It plays MP3 and AAC with the codecs of the machine. */
export const firefox: Engine = {
  name: 'Firefox',
  missing: () => (findFirefox() ? [] : ['firefox-esr']),
  open: openFirefox,
}

function findFirefox(): string | undefined {
  const places = [
    process.env['FIREFOX_PATH'],
    '/usr/bin/firefox-esr',
    '/usr/bin/firefox',
    '/Applications/Firefox.app/Contents/MacOS/firefox',
  ]
  return places.find((place) => place && existsSync(place))
}

async function openFirefox({ profile, refuseSiteData = false }: EngineOptions): Promise<EngineBrowser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox()!,
    userDataDir: profile,
    protocolTimeout: commandMs,
    env: { ...process.env, TZ: 'Pacific/Auckland' },
    extraPrefsFirefox: {
      // A page has the focus although no window manager gives it any.
      'focusmanager.testmode': true,
      // A silent sound card: without one Firefox refuses to play.
      'media.cubeb.force_mock_context': true,
      'intl.accept_languages': 'en-NZ',
      // No process in store for a tab that nobody opens, and no frames that nobody sees.
      'dom.ipc.processPrelaunch.enabled': false,
      'layout.frame_rate': 5,
      // No lists of its own, which a new profile would read in, and no process for the network.
      'services.settings.load_dump': false,
      'extensions.blocklist.enabled': false,
      'browser.newtabpage.enabled': false,
      'browser.newtab.preload': false,
      'browser.translations.enable': false,
      'browser.ml.enable': false,
      'network.process.enabled': false,
      ...(refuseSiteData && { 'network.cookie.cookieBehavior': rejectAll }),
    },
  })
  const killed = () => void browser.process()?.kill('SIGKILL')
  process.once('exit', killed)
  // The focus of the first tab stays in the address bar.
  const page = await browser.newPage()
  await page.setViewport(viewport)
  await page.evaluateOnNewDocument(spellOutErrors)
  const heard = listen(page)
  return {
    ...commands(page, heard),
    takeConsole: () => heard.take(),
    async close() {
      await browser.close()
      process.off('exit', killed)
    },
  }
}

/** Of network.cookie.cookieBehavior; refuses databases and workers as well. */
const rejectAll = 2

function commands(page: Page, heard: Heard): Omit<EngineBrowser, 'takeConsole' | 'close'> {
  const loaded = { waitUntil: 'load', timeout: commandMs } as const
  return {
    async goto(url) {
      // The stack of the protocol's own error does not name the step.
      await heard.leaving(page.goto(url, loaded)).catch((cause: unknown) => {
        throw new Error(`${url} did not open`, { cause })
      })
    },
    async back() {
      await heard.leaving(page.goBack(loaded))
    },
    evaluate: (expression) => page.evaluate(expression),
    move: (x, y) => page.mouse.move(x, y),
    click: (x, y) => page.mouse.click(x, y),
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    async chooseFile(expression, file) {
      const input = (await page.evaluateHandle(expression)).asElement()
      if (!input) throw new Error(`No file input: ${expression}`)
      await (input as ElementHandle<HTMLInputElement>).uploadFile(file)
    },
    async screenshot(file) {
      await page.screenshot({ path: file as `${string}.png` })
    },
  }
}

interface Heard {
  /** Console errors since the last call, without those of requests that were aborted with their page. */
  take(): string[]
  /** Failed imports are ignored until the next page has loaded. */
  leaving(navigation: Promise<unknown>): Promise<void>
}

function listen(page: Page): Heard {
  const heard: string[] = []
  const aborted = new Set<string>()
  let isLeft = false
  const hear = (line: string) => {
    if (!isLeft || !partNotLoaded.test(line)) heard.push(line)
  }
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) isLeft = false
  })
  page.on('console', (message) => {
    if (['error', 'warn', 'assert'].includes(message.type())) hear(message.text())
  })
  page.on('pageerror', (error) => hear(`uncaught ${error instanceof Error ? error.stack : String(error)}`))
  page.on('response', (response) => {
    if (response.status() >= 400) hear(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? 'failed'
    // Aborted by the page: it was left, or a recording was closed.
    if (why === 'NS_BINDING_ABORTED') aborted.add(`Error: Unable to preload CSS for ${request.url()}`)
    else hear(`${why} ${new URL(request.url()).pathname}`)
  })
  return {
    take: () => heard.splice(0).filter((line) => !aborted.has(line)),
    async leaving(navigation) {
      isLeft = true
      try {
        await navigation
      } finally {
        isLeft = false
      }
    },
  }
}

/**
 * Firefox aborts the imports of a page that is being left, and they fail while it is still there. It names any file of
 * them, not always one whose request was aborted. A file that the server does not have is heard by its status.
 */
const partNotLoaded =
  /^TypeError: error loading dynamically imported module|A ServiceWorker intercepted the request/

/**
 * Runs in each page: the protocol names an error object without its message, and once the page is left nobody can ask for
 * it.
 */
function spellOutErrors(): void {
  for (const name of ['error', 'warn'] as const) {
    const log = console[name].bind(console)
    console[name] = (...parts: unknown[]) =>
      log(...parts.map((part) => (part instanceof Error ? String(part) : part)))
  }
}
