import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../../e2e/browser.ts'
import { keptLibrary } from '../../e2e/offline-steps.ts'
import type { Area } from '../area.ts'
import { startLibrary } from '../library.ts'
import { median, percentile } from '../rounds.ts'
import { unpin } from '../tools.ts'

const teachings = 10_000
const slowdown = 4
const rounds = 5
const words = ['grace', 'romans 8', 'smith', 'living', 'psalm 23', 'hope 2019']

/** A device in the pocket: the server is gone, the processor is slow, the library is large. */
export const offlineOpen: Area = {
  name: 'offline-open',
  needs: [],
  async run() {
    const library = await startLibrary({ teachings })
    unpin(process.pid)
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
      await firstVisit(context, library.url)
      process.kill(library.pid, 'SIGKILL')
      const seen: number[] = []
      const opens: number[] = []
      const firstKeys: number[] = []
      const keys: Key[] = []
      for (let round = -1; round < rounds; round += 1) {
        const page = await openCold(context, `${library.url}/teaching`)
        const opened = await firstRow(page)
        const { early, typed } = await keystrokes(page)
        await page.close()
        // The first one warms the disk.
        if (round >= 0) {
          seen.push(opened.seen)
          opens.push(opened.usable)
          firstKeys.push(...early.map((each) => each.took))
          keys.push(...typed)
        }
      }
      const took = keys.map((each) => each.took)
      const answered = keys.map((each) => each.answered)
      const key = percentile(took, 0.95)
      console.log(`The slowest keys, in ms: ${slowest(keys)}`)
      const open = median(opens)
      const spread = (values: number[]) =>
        `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`
      return [
        {
          work: `cold offline open of /teaching with ${teachings} teachings until the first row is seen, CPU ÷ ${slowdown}`,
          product: `${median(seen).toFixed(0)} ms (${spread(seen)})`,
          yardstick: '–',
          ratio: '–',
          target: '–',
          met: true,
        },
        {
          work: `cold offline open of /teaching with ${teachings} teachings to the first usable row, CPU ÷ ${slowdown}`,
          product: `${open.toFixed(0)} ms (${spread(opens)})`,
          yardstick: '–',
          ratio: '–',
          target: '≤ 1000 ms',
          met: open <= 1000,
        },
        {
          work: `a key pressed while the rest is still read, from the moment the first row is there, CPU ÷ ${slowdown}`,
          product: `${median(firstKeys).toFixed(0)} ms (${spread(firstKeys)})`,
          yardstick: '–',
          ratio: '–',
          target: '–',
          met: true,
        },
        {
          work: `keystroke to the answer in the document, not drawn yet, p95 of ${keys.length}, CPU ÷ ${slowdown}`,
          product: `${percentile(answered, 0.95).toFixed(0)} ms (median ${median(answered).toFixed(0)})`,
          yardstick: '–',
          ratio: '–',
          target: '–',
          met: true,
        },
        {
          work: `keystroke to list, its frame drawn, p95 of ${keys.length}, CPU ÷ ${slowdown}`,
          product: `${key.toFixed(0)} ms (median ${median(took).toFixed(0)})`,
          yardstick: '–',
          ratio: '–',
          target: '≤ 50 ms',
          met: key <= 50,
        },
      ]
    } finally {
      await browser.close()
      await library.stop()
    }
  },
}

/** What stands in the box after each of the twelve slowest keys, and how long it took. */
const slowest = (keys: readonly Key[]) =>
  keys
    .toSorted((a, b) => b.took - a.took)
    .slice(0, 12)
    .map(({ query, took }) => `“${query}” ${took.toFixed(0)}`)
    .join(', ')

async function firstVisit(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${url}/teaching`)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.getByText(/^Up to date, /).waitFor({ timeout: 60_000 })
  // The pages as they are drawn are kept in idle time, anew for each part of the library that arrives.
  while ((await keptLibrary(page, url)) === undefined) await page.waitForTimeout(100)
  await page.close()
}

async function openCold(context: BrowserContext, url: string): Promise<Page> {
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

interface Key {
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

async function firstRow(page: Page): Promise<{ seen: number; usable: number }> {
  await page.waitForFunction(() => {
    const { usable } = (window as unknown as { watched: Watched }).watched
    return usable !== undefined && usable !== Infinity
  })
  const { seen, usable } = await watchedOf(page)
  return { seen: seen!, usable: usable! }
}

/** A key and its taking back at once; then, when the page has come to rest, as fast as the list follows. */
async function keystrokes(page: Page): Promise<{ early: Key[]; typed: Key[] }> {
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
    await press('Backspace')
  }
  await page.getByRole('searchbox').focus()
  await type('g')
  const early = (await watchedOf(page)).keys
  await atRest(page)
  for (const word of words) await type(word)
  return { early, typed: (await watchedOf(page)).keys.slice(early.length) }
}
