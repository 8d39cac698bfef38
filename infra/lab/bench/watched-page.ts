import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'

/** CPU throttling: how many times slower than this machine the simulated device is. */
export const slowdown = 4

/** Pause between a painted answer and the next key, in milliseconds. */
const restMs = 120
const words = ['grace', 'romans 8', 'smith', 'living', 'psalm 23', 'hope 2019']

/** Opens a new page, `rate` times slower than this machine and instrumented before its first script. */
export async function openCold(context: BrowserContext, url: string, rate: number = slowdown): Promise<Page> {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate })
  firstRows.set(page, toldFirstRow(devtools))
  // Bindings survive a change of the process only if this is on.
  await devtools.send('Runtime.enable')
  await devtools.send('Runtime.addBinding', { name: binding })
  // The TypeScript runner emits calls of a helper that the page does not have.
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.addInitScript(watchPage)
  await page.goto(url, { waitUntil: 'commit' })
  return page
}

/** The pending first row of each page. */
const firstRows = new WeakMap<Page, Promise<FirstRow>>()

/** Milliseconds from the navigation. */
interface FirstRow {
  /** When it was painted. */
  seen: number
  /** When the page was hydrated too, and its main thread was free again. */
  usable: number
}

/**
 * The page calls a binding once. To wait for a function in the page instead would parse a third of a megabyte of the
 * driver's code there before the first paint, and run in every frame.
 */
const toldFirstRow = (devtools: CDPSession) =>
  new Promise<FirstRow>((resolve) => {
    devtools.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === binding) resolve(JSON.parse(payload) as FirstRow)
    })
  })
const binding = 'tellFirstRow'

interface Watched extends Partial<FirstRow> {
  keys: Key[]
}

/** A key press that changed the list. */
export interface Key {
  /** The text of the search box after it. */
  query: string
  /** From the key press to the last DOM change of the list or its heading, in milliseconds. */
  answered: number
  /** From the key press to the end of the frame with that change. */
  took: number
  /** From the key press to the end of the frame with the last change around it, such as suggestions, which may follow. */
  all: number
}

/** Waits until the browser was idle for a second: the library is read and its index built in idle time. */
const isIdle = (page: Page) =>
  page.evaluate(async () => {
    const idle = () => new Promise<IdleDeadline>((resolve) => requestIdleCallback(resolve))
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    for (let calm = 0; calm < 10; await pause(100)) calm = (await idle()).timeRemaining() > 30 ? calm + 1 : 0
  })

/** Runs in the page before its own scripts. */
function watchPage(): void {
  const watched: Watched = { keys: [] }
  const notify = () => (window as unknown as { keyDone: () => void }).keyDone()
  Object.assign(window, { watched })
  // The first task after the frame runs when it is laid out, painted and handed to the compositor.
  const afterPaint: (() => void)[] = []
  const afterFrame = new MessageChannel()
  afterFrame.port1.onmessage = () => afterPaint.splice(0).forEach((then) => then())
  const painted = (then: () => void) =>
    requestAnimationFrame(() => {
      afterPaint.push(then)
      afterFrame.port2.postMessage(null)
    })
  let pressedAt = 0
  let key: Key | undefined
  let settle: ReturnType<typeof setTimeout> | undefined
  const observer = new MutationObserver((changes) => {
    if (watched.usable === undefined && document.querySelector('main li h3')) {
      if (watched.seen === undefined) {
        watched.seen = Infinity
        painted(() => (watched.seen = performance.now()))
      }
      if (!document.querySelector('[data-first]')) {
        watched.usable = Infinity
        // A timer, since hydration may be followed by other tasks.
        painted(() =>
          setTimeout(() => {
            watched.usable = performance.now()
            const { tellFirstRow } = window as unknown as { tellFirstRow: (row: string) => void }
            tellFirstRow(JSON.stringify(watched))
          }),
        )
      }
    }
    const title = document.getElementById('library-title')
    const section = title?.closest('section')
    if (!key || !changes.some(({ target }) => section?.contains(target))) return
    const changed = key
    // Suggestions and the status share a line with the title.
    const line = title!.parentElement === section ? title! : title!.parentElement!
    const isOfList = changes.some(
      ({ target }) =>
        title!.contains(target) ||
        (target !== section &&
          !line.contains(target) &&
          target.nodeName !== 'OUTPUT' &&
          target.parentElement?.nodeName !== 'OUTPUT' &&
          title!.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING),
    )
    if (isOfList) changed.answered = performance.now() - pressedAt
    painted(() => {
      if (key !== changed) return
      changed.all = performance.now() - pressedAt
      if (isOfList) changed.took = changed.all
      clearTimeout(settle)
      settle = setTimeout(() => {
        if (changed.took > 0) watched.keys.push(changed)
        key = undefined
        notify()
      }, 120)
    })
  })
  // The document itself: a row can be parsed before the rest of the page.
  observer.observe(document, {
    childList: true,
    subtree: true,
    characterData: true,
    attributeFilter: ['data-first'],
  })
  addEventListener('keydown', (event) => (pressedAt = event.timeStamp), { capture: true })
  addEventListener(
    'input',
    (event) => {
      key = { query: (event.target as HTMLInputElement).value, answered: 0, took: 0, all: 0 }
      settle = setTimeout(() => {
        // This key did not change the list.
        key = undefined
        notify()
      }, 600)
    },
    { capture: true },
  )
}

const watchedOf = (page: Page) => page.evaluate(() => (window as unknown as { watched: Watched }).watched)

/**
 * When the first row was painted, and when it was usable.
 *
 * @throws Error after half a minute without one
 */
export async function firstRow(page: Page): Promise<FirstRow> {
  const told = new AbortController()
  const tooLate = wait(30_000, true, { signal: told.signal }).catch(() => false)
  const row = await Promise.race([firstRows.get(page)!, tooLate])
  told.abort()
  if (typeof row === 'boolean') throw new Error('No row could be used within 30 seconds.')
  return row
}

/** Types and deletes one letter at once, then, once the page is idle, types words as fast as the list follows. */
export async function keystrokes(page: Page): Promise<{ early: Key[]; typed: Key[] }> {
  // The page reports when a key is done: polling it in every frame would add work to every frame.
  let done: () => void = () => undefined
  await page.exposeFunction('keyDone', () => done())
  const press = async (key: string) => {
    const followed = new Promise<void>((resolve) => (done = resolve))
    await page.keyboard.press(key)
    await followed
  }
  const type = async (word: string) => {
    for (const letter of word) await press(letter === ' ' ? 'Space' : letter)
    await page.keyboard.press('Control+A')
    // Without a pause, the deletion would wait for the frame of the selection.
    await page.waitForTimeout(restMs)
    await press('Backspace')
  }
  await page.getByRole('searchbox').focus()
  await type('g')
  const early = (await watchedOf(page)).keys
  await isIdle(page)
  for (const word of words) await type(word)
  return { early, typed: (await watchedOf(page)).keys.slice(early.length) }
}
