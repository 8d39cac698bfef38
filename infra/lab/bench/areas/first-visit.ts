import type { Page } from 'playwright-core'
import type { TestBrowser } from '../../../e2e/support/browser.ts'
import type { Area, BenchRow } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { startLibrary } from '../library.ts'
import { median } from '../rounds.ts'
import { slowdown } from '../watched-page.ts'

const teachings = 10_000
const rounds = 5
/** From the first paint, in milliseconds. */
const limitMs = 1_500

/** The first visit of somebody who reads and touches nothing: when what the page shows is right. */
export const firstVisit: Area = {
  name: 'first-visit',
  needs: [],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings })
    onEnd(() => library.stop())
    const browser = await benchBrowser({ onEnd })
    for (const { path, shown, words } of sights) {
      const whole = await settled(browser, library.url + path, shown)
      const delays: number[] = []
      for (let round = 0; round < rounds; round += 1)
        delays.push(await delayOf(browser, library.url + path, shown, whole))
      report(rowOf(words, delays))
    }
  },
}

const sights = [
  {
    path: '/about',
    shown: '[data-words]',
    words:
      'first visit to /about that nobody touches, from the first paint until every reference opens its passage',
  },
  {
    path: '/teaching',
    shown: 'select option',
    words:
      'first visit to /teaching that nobody touches, from the first paint until every year can be chosen',
  },
]

function rowOf(words: string, delays: readonly number[]): BenchRow {
  return {
    work: `${words}, CPU ÷ ${slowdown}`,
    product: `${median(delays).toFixed(0)} ms (${Math.min(...delays).toFixed(0)}–${Math.max(...delays).toFixed(0)})`,
    yardstick: '–',
    ratio: '–',
    target: `≤ ${limitMs} ms`,
    met: median(delays) <= limitMs,
  }
}

/** How many there are once the library has been read. */
async function settled(browser: TestBrowser, url: string, shown: string): Promise<number> {
  const page = await open(browser, url)
  await page.mouse.move(5, 5)
  await page.getByText(/^Up to date, /).waitFor({ timeout: 60_000 })
  await page.waitForFunction((selector) => document.querySelector(selector), shown)
  const count = await page.locator(shown).count()
  await page.context().close()
  return count
}

/** Milliseconds from the first paint until all of them are there, in a browser that never saw the site. */
async function delayOf(browser: TestBrowser, url: string, shown: string, whole: number): Promise<number> {
  const page = await open(
    browser,
    url,
    (watched) => {
      const counts: { at: number; count: number }[] = []
      Object.assign(window, { counts })
      const observer = new MutationObserver(() => {
        const count = document.querySelectorAll(watched).length
        if (count !== (counts.at(-1)?.count ?? 0)) counts.push({ at: performance.now(), count })
      })
      observer.observe(document, { childList: true, subtree: true })
    },
    shown,
  )
  await page.waitForFunction(
    (wanted) => (window as unknown as { counts: Counts }).counts.at(-1)?.count === wanted,
    whole,
    { timeout: 30_000 },
  )
  const delay = await page.evaluate(() => {
    const [painted] = performance.getEntriesByName('first-contentful-paint')
    const { at } = (window as unknown as { counts: Counts }).counts.at(-1)!
    return Math.max(0, at - painted!.startTime)
  })
  await page.context().close()
  return delay
}

type Counts = { at: number; count: number }[]

async function open(
  browser: TestBrowser,
  url: string,
  before?: (shown: string) => void,
  shown = '',
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  // The TypeScript runner emits calls of a helper that the page does not have.
  await page.addInitScript('globalThis.__name = (named) => named')
  if (before) await page.addInitScript(before, shown)
  await page.goto(url, { waitUntil: 'commit' })
  return page
}
