import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@fellowship/api/testing/free-port'
import { commandMs, type Engine, type EngineBrowser, type EngineOptions, type Key } from './engine-browser.ts'
import { elementKey, startSession, type WebDriverSession } from './webdriver.ts'

/** WebKitGTK over W3C WebDriver, on a display of its own: of the engines of a Linux machine the nearest to Safari. */
export const webkit: Engine = { name: 'WebKitGTK', missing, open: openWebKit }

/** Debian's packages that are not installed; on other systems all of them. */
function missing(): string[] {
  const python = ['-c', 'import gi; gi.require_version("WebKit2", "4.1"); from gi.repository import WebKit2']
  const hasBrowser = existsSync(interpreter) && spawnSync(interpreter, python).status === 0
  return [
    ...(existsSync(driverProgram) ? [] : ['webkit2gtk-driver']),
    ...(existsSync(display) ? [] : ['xvfb']),
    ...(hasBrowser ? [] : ['python3-gi', 'gir1.2-webkit2-4.1']),
  ]
}

const interpreter = '/usr/bin/python3'
const driverProgram = '/usr/bin/WebKitWebDriver'
const display = '/usr/bin/Xvfb'

async function openWebKit({ profile }: EngineOptions): Promise<EngineBrowser> {
  const screen = await startDisplay()
  const port = await freePort()
  const driver = startDriver(port, screen.name)
  const end = () => {
    endGroup(driver)
    screen.end()
  }
  process.once('exit', end)
  const consoleFile = path.join(profile, 'console.log')
  mkdirSync(profile, { recursive: true })
  const address = `http://127.0.0.1:${port}`
  await answers(address)
  const session = await startSession(address, {
    'webkitgtk:browserOptions': {
      binary: path.join(import.meta.dirname, 'webkit-browser.py'),
      args: [profile, consoleFile],
    },
  })
  const heard = consoleOf(consoleFile)
  heard()
  return {
    ...commands(session),
    takeConsole: heard,
    async close() {
      await session.end()
      end()
      process.off('exit', end)
    },
  }
}

/** A virtual display with the first free number. */
async function startDisplay(): Promise<{ name: string; end(): void }> {
  const args = ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp']
  const server = spawn(display, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const [number] = (await once(server.stdout, 'data')) as [Buffer]
  return { name: `:${number.toString().trim()}`, end: () => void server.kill() }
}

function startDriver(port: number, displayName: string): ChildProcess {
  return spawn(driverProgram, [`--port=${port}`], {
    // A process group of its own, which its browser belongs to.
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: displayName,
      LANG: 'C.UTF-8',
      TZ: 'Pacific/Auckland',
      // WebKit's sandbox refuses to start as root or inside a container; only the product's own pages are opened.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      // Without a graphics card.
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
  })
}

function endGroup(driver: ChildProcess): void {
  try {
    process.kill(-driver.pid!, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const answers = (driver: string): Promise<void> =>
  until('WebKitWebDriver answers', async () => (await fetch(`${driver}/status`)).ok)

/** Polls; an error means not yet. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + commandMs
  while (Date.now() < end) {
    if (await isSo().catch(() => false)) return
    await pause(50)
  }
  throw new Error(`Waited until ${what}.`)
}

function commands({ command }: WebDriverSession): Omit<EngineBrowser, 'takeConsole' | 'close'> {
  const pointer = (actions: object[]) =>
    command('POST', '/actions', {
      actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
    })
  const keys = (values: readonly string[]) =>
    command('POST', '/actions', {
      actions: [{ type: 'key', id: 'keyboard', actions: values.flatMap(stroke) }],
    })
  const evaluate = (expression: string) =>
    command('POST', '/execute/sync', { script: `return (${expression})`, args: [] })
  return {
    async goto(url) {
      await command('POST', '/url', { url })
    },
    async back() {
      await command('POST', '/back', {})
    },
    async hardReload() {
      const before = await evaluate('performance.timeOrigin')
      // The protocol has no command for it: see webkit-browser.py.
      await evaluate('window.webkit.messageHandlers.hardReload.postMessage(0)')
      await until('the page is loaded anew', async () => {
        const now = await evaluate('document.readyState === "complete" && performance.timeOrigin')
        return now !== false && now !== before
      })
    },
    evaluate,
    async move(x, y) {
      await pointer([moveTo(x, y)])
    },
    async click(x, y) {
      await pointer([moveTo(x, y), { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }])
    },
    async press(key) {
      await keys([keyCodes[key]])
    },
    async type(text) {
      await keys([...text])
    },
    async chooseFile(expression, file) {
      const input = (await evaluate(expression)) as { [elementKey]: string } | null
      if (!input) throw new Error(`No file input: ${expression}`)
      await command('POST', `/element/${input[elementKey]}/value`, { text: file })
    },
    async screenshot(file) {
      await writeFile(file, (await command('GET', '/screenshot')) as string, 'base64')
    },
  }
}

const moveTo = (x: number, y: number) => ({
  type: 'pointerMove',
  duration: 0,
  x: Math.round(x),
  y: Math.round(y),
  origin: 'viewport',
})

const stroke = (value: string) => [
  { type: 'keyDown', value },
  { type: 'keyUp', value },
]

/** https://www.w3.org/TR/webdriver2/#keyboard-actions */
const keyCodes: Record<Key, string> = {
  Enter: '\uE007',
  Escape: '\uE00C',
  Tab: '\uE004',
  ArrowRight: '\uE014',
  Backspace: '\uE003',
}

/** WebKit does not know every directive of the Content-Security-Policy. */
const unknownDirective = 'Unrecognized Content-Security-Policy directive'
/** Said after a few seconds: whether it comes depends on how busy the machine is. */
const unusedYet = 'was preloaded using link preload but not used within a few seconds'

const harmless = [unknownDirective, unusedYet]

/** Reads the console messages since the last call. */
function consoleOf(file: string): () => string[] {
  let read = 0
  return () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const added = text.slice(read).split('\n')
    read = text.length
    return added.filter(
      (line) =>
        /^CONSOLE (?:\w+ )?(?:ERROR|WARN)/.test(line) && !harmless.some((words) => line.includes(words)),
    )
  }
}
