import type { BrowserContext, Page } from 'playwright-core'

/** How many times slower than this machine the device is. */
export const slowdown = 4

/** How long a key waits after the frame of the one before. */
const restMs = 120
const words = ['grace', 'romans 8', 'smith', 'living', 'psalm 23', 'hope 2019']

/** A page of its own on the slow device, watched from its first moment on. */
export async function openCold(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  await line.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  // Functions are named by a helper of the TypeScript runner, which the page does not have.
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.addInitScript(watchPage)
  await page.goto(url, { waitUntil: 'commit' })
  return page
}

interface Watched {
  /** When the first row was painted, in milliseconds from the navigation. */
  seen?: number
  /** When there was somebody behind its buttons too, and the page answered again. */
  usable?: number
  keys: Key[]
}

/** A key that changed the list. */
export interface Key {
  /** What stands in the box after it. */
  query: string
  /** From the key to the last change of the list that it brought, in milliseconds. */
  answered: number
  /** From the key to the end of the frame with the last change of the list that it brought. */
  took: number
}

/** The library is read and its index is built, which happens in idle time: the browser was idle for a second. */
const atRest = (page: Page) =>
  page.evaluate(async () => {
    const idle = () => new Promise<IdleDeadline>((resolve) => requestIdleCallback(resolve))
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    for (let calm = 0; calm < 10; await pause(100)) calm = (await idle()).timeRemaining() > 30 ? calm + 1 : 0
  })

/** Runs in the page before anything of it. */
function watchPage(): void {
  const watched: Watched = { keys: [] }
  const tell = () => (window as unknown as { keyDone: () => void }).keyDone()
  Object.assign(window, { watched })
  // In the first task after the frame: it is laid out, painted, and handed to the compositor.
  const drawn: (() => void)[] = []
  const afterFrame = new MessageChannel()
  afterFrame.port1.onmessage = () => drawn.splice(0).forEach((then) => then())
  const painted = (then: () => void) =>
    requestAnimationFrame(() => {
      drawn.push(then)
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
        // And after whatever else keeps the page busy then.
        painted(() => setTimeout(() => (watched.usable = performance.now())))
      }
    }
    const list = document.getElementById('library-title')?.closest('section')
    if (!key || !changes.some(({ target }) => list?.contains(target))) return
    const changed = key
    changed.answered = performance.now() - pressedAt
    painted(() => {
      if (key !== changed) return
      changed.took = performance.now() - pressedAt
      clearTimeout(settle)
      settle = setTimeout(() => {
        watched.keys.push(changed)
        key = undefined
        tell()
      }, 120)
    })
  })
  // The document itself: a row can be there before all of its page is.
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
      key = { query: (event.target as HTMLInputElement).value, answered: 0, took: 0 }
      settle = setTimeout(() => {
        // A key that changed nothing of the list.
        key = undefined
        tell()
      }, 600)
    },
    { capture: true },
  )
}

const watchedOf = (page: Page) => page.evaluate(() => (window as unknown as { watched: Watched }).watched)

/** When the first row was seen, and when it could be used, in milliseconds from the navigation. */
export async function firstRow(page: Page): Promise<{ seen: number; usable: number }> {
  await page.waitForFunction(() => {
    const { usable } = (window as unknown as { watched: Watched }).watched
    return usable !== undefined && usable !== Infinity
  })
  const { seen, usable } = await watchedOf(page)
  return { seen: seen!, usable: usable! }
}

/** A key and its taking back at once; then, when the page has come to rest, as fast as the list follows. */
export async function keystrokes(page: Page): Promise<{ early: Key[]; typed: Key[] }> {
  // The page tells when a key is done: to ask it in every frame would be work of its own in every frame.
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
    // Nobody empties the box a millisecond after choosing what is in it: the key would wait for the frame of the choice.
    await page.waitForTimeout(restMs)
    await press('Backspace')
  }
  await page.getByRole('searchbox').focus()
  await type('g')
  const early = (await watchedOf(page)).keys
  await atRest(page)
  for (const word of words) await type(word)
  return { early, typed: (await watchedOf(page)).keys.slice(early.length) }
}
