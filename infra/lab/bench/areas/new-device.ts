import { teachings as calls } from '@fellowship/schema/teachings/teachings.contract'
import type { Page } from 'playwright-core'
import type { TestBrowser } from '../../../e2e/support/browser.ts'
import type { Area, BenchRow, Run } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { startLibrary } from '../library.ts'
import { median, ratioText } from '../rounds.ts'
import { firstRow, openCold, slowdown } from '../watched-page.ts'

/** The owner's goal for a library of ten thousand. */
const limitMs = 500
const sizes = [
  { teachings: 10_000, opens: 17, rounds: 5 },
  { teachings: 100_000, opens: 9, rounds: 3 },
]

/** A device that never saw the site: from an empty database to a library that is whole, and kept. */
export const newDevice: Area = {
  name: 'new-device',
  needs: [],
  async run(run) {
    for (const size of sizes) await measure(size, run)
  },
}

async function measure(size: (typeof sizes)[number], { report, onEnd }: Run): Promise<void> {
  const { teachings, opens, rounds } = size
  const library = await startLibrary({ teachings })
  onEnd(() => library.stop())
  const browser = await benchBrowser({ onEnd })
  // In opens of their own: what a browser does after a device with the whole library was closed would be counted too.
  const usable: number[] = []
  // The first one warms the caches of the server and of the disk.
  for (let each = -1; each < opens; each += 1) {
    const took = await openUntilUsable(browser, library.url)
    if (each >= 0) usable.push(took)
  }
  const all: Round[] = []
  for (let round = -1; round < rounds; round += 1) {
    const measured = { ...(await open(browser, library.url)), bare: await openBare(browser, library.url) }
    if (round >= 0) all.push(measured)
  }
  await browser.close()
  await library.stop()
  for (const row of rowsOf(teachings, usable, all)) report(row)
}

interface Round extends Opened {
  bare: Bare
}

/** In milliseconds, from the press. */
interface Opened {
  /** Until the whole library was shown. */
  whole: number
  /** Until it was told that the device has all of it. */
  held: number
}

/** The least that it takes, in milliseconds: the plain list fetched and parsed, and each row of it stored. */
interface Bare {
  parsed: number
  stored: number
}

const phone = { viewport: { width: 390, height: 844 } }

/** From the navigation until the first rows can be used, in milliseconds. */
async function openUntilUsable(browser: TestBrowser, url: string): Promise<number> {
  const context = await browser.newContext(phone)
  const { usable } = await firstRow(await openCold(context, `${url}/teaching`))
  await context.close()
  return usable
}

async function open(browser: TestBrowser, url: string): Promise<Opened> {
  const context = await browser.newContext(phone)
  await context.addInitScript('globalThis.__name = (named) => named')
  await context.addInitScript(watchLibrary)
  const page = await openCold(context, `${url}/teaching`)
  await firstRow(page)
  // The panel of books counts the whole library. Until then nothing of it was asked for.
  await page.getByRole('button', { name: 'Filter by book, speaker or year' }).click()
  await page.waitForFunction(
    () => {
      const { whole, held } = (window as unknown as { library: Watched }).library
      return Number.isFinite(whole) && Number.isFinite(held)
    },
    undefined,
    { timeout: 120_000, polling: 100 },
  )
  const watched = await page.evaluate(() => (window as unknown as { library: Watched }).library)
  await context.close()
  return { whole: watched.whole! - watched.pressed!, held: watched.held! - watched.pressed! }
}

/** Moments, in milliseconds from the navigation. */
interface Watched {
  pressed?: number
  whole?: number
  held?: number
}

/** Runs in the page before its own scripts. */
function watchLibrary(): void {
  const watched: Watched = {}
  Object.assign(window, { library: watched })
  addEventListener('pointerdown', (event) => (watched.pressed ??= event.timeStamp), { capture: true })
  // The first task after the frame runs when it is laid out, painted and handed to the compositor.
  const painted = (then: () => void) => requestAnimationFrame(() => setTimeout(then))
  const note = (what: 'whole' | 'held') => {
    if (watched[what] !== undefined) return
    watched[what] = Infinity
    painted(() => (watched[what] = performance.now()))
  }
  new MutationObserver(() => {
    if (watched.pressed === undefined) return
    const panel = [...document.querySelectorAll('main section')].some(
      (each) => each.firstElementChild?.textContent === 'New Testament',
    )
    if (panel) note('whole')
    if (document.querySelector('main')?.textContent.includes('Up to date, ')) note('held')
  }).observe(document, { childList: true, subtree: true, characterData: true })
}

async function openBare(browser: TestBrowser, url: string): Promise<Bare> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.goto(`${url}/robots.txt`)
  await page.evaluate('globalThis.__name = (named) => named')
  const bare = await storeAll(page, calls.list.path)
  await context.close()
  return bare
}

const storeAll = (page: Page, path: string): Promise<Bare> =>
  page.evaluate(async (address) => {
    const began = performance.now()
    const rows = (await (await fetch(address)).json()) as object[]
    const parsed = performance.now() - began
    const asked = indexedDB.open('bare', 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore('rows', { keyPath: 'uid' })
    await new Promise((resolve) => (asked.onsuccess = resolve))
    const writing = asked.result.transaction('rows', 'readwrite')
    for (const row of rows) writing.objectStore('rows').put(row)
    await new Promise((resolve) => (writing.oncomplete = resolve))
    return { parsed, stored: performance.now() - began }
  }, path)

function rowsOf(teachings: number, usable: readonly number[], all: readonly Round[]): BenchRow[] {
  const isGoal = teachings === sizes[0]!.teachings
  const row = (what: string, times: readonly number[]): BenchRow => ({
    work: `a device that never saw the site, ${teachings} teachings, ${what}, CPU ÷ ${slowdown}`,
    product: medianAndRange(times),
    yardstick: '–',
    ratio: '–',
    target: isGoal ? `≤ ${limitMs} ms` : '–',
    met: !isGoal || median(times) <= limitMs,
  })
  const beside = (given: BenchRow, name: string, ratio: (round: Round) => number, time: keyof Bare) => ({
    ...given,
    yardstick: `${name} ${medianAndRange(all.map(({ bare }) => bare[time]))}`,
    ratio: ratioText(all.map(ratio)),
  })
  return [
    row('from the navigation until its first rows can be used', usable),
    beside(
      row(
        'from the first press until the whole library is shown',
        all.map(({ whole }) => whole),
      ),
      'the plain list fetched and parsed',
      ({ whole, bare }) => whole / bare.parsed,
      'parsed',
    ),
    {
      ...beside(
        row(
          'from the first press until it has all of it',
          all.map(({ held }) => held),
        ),
        'each row of that list stored, nothing else',
        ({ held, bare }) => held / bare.stored,
        'stored',
      ),
      target: '–',
      met: true,
    },
  ]
}

const medianAndRange = (values: readonly number[]) =>
  `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`
