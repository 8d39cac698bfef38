import type { BrowserContext, Page } from 'playwright-core'
import { cachedLibrary } from '../../../e2e/support/offline-steps.ts'
import type { Area, BenchRow } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { heapsOf } from '../heaps.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { reserveCoreForPage } from '../page-core.ts'
import { median, medianAndRange, percentile, ratioText } from '../rounds.ts'
import { hourTexts } from '../spoken-texts.ts'
import { firstRow, openCold, slowdown } from '../watched-page.ts'

const count = 1_000
const rounds = Number(process.env['SPOKEN_ROUNDS'] ?? 9)

/** What a device pays for the transcripts of a library, beside one that stores no index. */
export const spokenDevice: Area = {
  name: 'spoken-device',
  needs: [],
  async run({ report, onEnd }) {
    const { vocabulary, texts } = hourTexts(count)
    const library = await startLibrary({ teachings: count, texts })
    onEnd(() => library.stop())
    const browser = await benchBrowser({ onEnd })
    const added = async (spoken: 'stored' | 'none') => {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
      await context.addInitScript(
        (choice) => localStorage.setItem('comfort', JSON.stringify({ spoken: choice })),
        spoken,
      )
      return context
    }
    report(await firstSyncs(added, library))
    const [stored, none] = [await added('stored'), await added('none')]
    for (const context of [stored, none]) await visit(context, library, context === stored)
    process.kill(library.pid, 'SIGKILL')
    for (const row of await coldOpens(stored, none, library.url)) report(row)
    for (const row of await keys(stored, library.url, vocabulary)) report(row)
    for (const row of await memory(stored, none, library.url)) report(row)
  },
}

type Added = (spoken: 'stored' | 'none') => Promise<BrowserContext>

/** A new device, with and without the index, by turns: until the library is up to date. */
async function firstSyncs(added: Added, { url }: BenchLibrary): Promise<BenchRow> {
  const times = { stored: [] as number[], none: [] as number[] }
  for (let round = -1; round < rounds; round += 1)
    for (const spoken of round % 2 === 0 ? (['stored', 'none'] as const) : (['none', 'stored'] as const)) {
      const context = await added(spoken)
      const page = await openCold(context, `${url}/teaching`)
      await page.getByText(/^Up to date, /).waitFor({ timeout: 120_000 })
      const took = await page.evaluate(() => performance.now())
      if (round >= 0) times[spoken].push(took)
      await context.close()
    }
  return paired(`a new device until it is up to date, ${count} texts, CPU ÷ ${slowdown}`, times)
}

/** With the index, without one. */
function paired(work: string, { stored, none }: { stored: number[]; none: number[] }): BenchRow {
  const ratio = median(stored) / median(none)
  return {
    work,
    product: `with the index ${medianAndRange(stored)}`,
    yardstick: `without ${medianAndRange(none)}`,
    ratio: `${ratio.toFixed(3)} × of the medians; ${ratioText(stored.map((time, at) => time / none[at]!))}`,
    target: '≤ 1.03 ×',
    met: ratio <= 1.03,
  }
}

/** Texts whose words this page can search. */
const indexed = (page: Page) =>
  page.evaluate(async () => {
    const database = await new Promise<IDBDatabase | undefined>((resolve) => {
      const request = indexedDB.open('spoken')
      request.onsuccess = () => resolve(request.result)
      // The worker makes it.
      request.onupgradeneeded = () => request.transaction!.abort()
      request.onerror = () => resolve(undefined)
    })
    if (!database) return 0
    const all = database.transaction('texts').objectStore('texts').count()
    await new Promise((resolve) => (all.onsuccess = resolve))
    database.close()
    return all.result
  })

async function visit(context: BrowserContext, { url }: BenchLibrary, isStored: boolean): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${url}/teaching`)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.getByText(/^Up to date, /).waitFor({ timeout: 60_000 })
  if (isStored) while ((await indexed(page)) < count) await page.waitForTimeout(250)
  while ((await cachedLibrary(page, url)) === undefined) await page.waitForTimeout(100)
  await page.close()
}

async function coldOpens(stored: BrowserContext, none: BrowserContext, url: string): Promise<BenchRow[]> {
  const seen = { stored: [] as number[], none: [] as number[] }
  const usable = { stored: [] as number[], none: [] as number[] }
  for (let round = -1; round < rounds * 2; round += 1)
    for (const name of round % 2 === 0 ? (['stored', 'none'] as const) : (['none', 'stored'] as const)) {
      const page = await openCold(name === 'stored' ? stored : none, `${url}/teaching`)
      const row = await firstRow(page)
      await page.waitForTimeout(1_000)
      await page.close()
      if (round < 0) continue
      seen[name].push(row.seen)
      usable[name].push(row.usable)
    }
  const work = `cold offline open of /teaching, ${count} teachings and texts, CPU ÷ ${slowdown}`
  return [
    paired(`${work}, until the first row is seen`, seen),
    paired(`${work}, to the first usable row`, usable),
  ]
}

interface SaidKey {
  /** From the key to the answer of the index, in the page. */
  answered: number
  /** From the key to the frame with the teachings in which it was said. */
  found: number
}

/** The first letters, pressed as soon as the page is usable, and those of other words later. */
async function keys(
  context: BrowserContext,
  url: string,
  vocabulary: readonly string[],
): Promise<BenchRow[]> {
  const first: SaidKey[] = []
  const later: SaidKey[] = []
  await context.addInitScript(watchAnswers)
  for (let round = 0; round < 2; round += 1) {
    const page = await openCold(context, `${url}/teaching`)
    await firstRow(page)
    await page.evaluate(watchSaid)
    const releaseCores = await reserveCoreForPage(context)
    const words = [40, 400, 1_500, 6_000].map((rank) => vocabulary[rank + round * 3]!)
    for (const [index, word] of words.entries()) {
      await page.getByRole('searchbox').focus()
      for (const letter of word.slice(0, 8)) {
        const key = await pressed(page, letter)
        if (key) (index === 0 ? first : later).push(key)
      }
      await page.getByRole('searchbox').fill('')
      await page.waitForTimeout(300)
    }
    releaseCores()
    await page.close()
  }
  const row = (work: string, times: readonly number[]): BenchRow => ({
    work: `what was said in ${count} texts, offline, ${work}, p95 (p50), CPU ÷ ${slowdown}`,
    product: figures(times),
    yardstick: '–',
    ratio: '–',
    target: '≤ 50 ms',
    met: percentile(times, 0.95) <= 50,
  })
  const rows = (work: string, all: readonly SaidKey[]) => [
    row(
      `${work}, key to the answer of the index`,
      all.map(({ answered }) => answered),
    ),
    row(
      `${work}, key to painted results`,
      all.map(({ found }) => found),
    ),
  ]
  return [...rows('first word after a cold open', first), ...rows('later words', later)]
}

const figures = (times: readonly number[]) =>
  times.length === 0
    ? 'none seen'
    : `${percentile(times, 0.95).toFixed(0)} ms (${median(times).toFixed(0)}) of ${times.length}`

async function pressed(page: Page, letter: string): Promise<SaidKey | undefined> {
  await page.keyboard.press(letter)
  // Nothing of this page polls meanwhile.
  await page.waitForTimeout(1_000)
  return page.evaluate(() => {
    const { saidKey } = window as unknown as { saidKey: SaidKey }
    return saidKey.found > 0 ? saidKey : undefined
  })
}

/** Runs in a page before its own scripts, and tells when the worker answered a search. */
function watchAnswers(): void {
  window.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given)
      this.addEventListener(
        'message',
        ({ data }: MessageEvent<{ done?: { answer?: { uids?: unknown } } }>) => {
          if (data.done?.answer?.uids) dispatchEvent(new Event('index-answer'))
        },
      )
    }
  }
}

/** Runs in the page. */
function watchSaid(): void {
  const key = { answered: 0, found: 0 }
  Object.assign(window, { saidKey: key })
  let pressedAt = 0
  const afterPaint: (() => void)[] = []
  const channel = new MessageChannel()
  channel.port1.onmessage = () => afterPaint.splice(0).forEach((then) => then())
  addEventListener(
    'keydown',
    ({ timeStamp }) => {
      pressedAt = timeStamp
      Object.assign(key, { answered: 0, found: 0 })
    },
    { capture: true },
  )
  // An index that was updated answers the same query again.
  addEventListener('index-answer', ({ timeStamp }) => (key.answered ||= timeStamp - pressedAt))
  new MutationObserver((changes) => {
    const said = document.querySelector('.said')
    const isNew = changes.some(({ addedNodes }) => [...addedNodes].some((node) => node.contains(said)))
    if (!said || !(isNew || changes.some(({ target }) => said.contains(target)))) return
    const of = pressedAt
    requestAnimationFrame(() => {
      afterPaint.push(() => {
        if (of !== pressedAt) return
        const took = performance.now() - of
        if (isNew || key.found === 0) key.found = took
      })
      channel.port2.postMessage(null)
    })
  }).observe(document, { childList: true, subtree: true, characterData: true })
}

/** Heaps after a search and a collection of garbage, and bytes of storage. */
async function memory(stored: BrowserContext, none: BrowserContext, url: string): Promise<BenchRow[]> {
  const figuresOf = async (context: BrowserContext) => {
    const page = await context.newPage()
    const heaps = await heapsOf(page, async () => {
      await page.goto(`${url}/teaching`)
      await page.locator('main li h3').first().waitFor()
      await page.getByRole('searchbox').fill('grace')
      await page.waitForTimeout(3_000)
    })
    const storage = await page.evaluate(async () => {
      const { usage, usageDetails } = (await navigator.storage.estimate()) as StorageEstimate & {
        usageDetails?: Record<string, number>
      }
      return { usage: usage ?? 0, database: usageDetails?.['indexedDB'] ?? 0 }
    })
    await page.close()
    return { ...heaps, ...storage }
  }
  const [own, bare] = [await figuresOf(stored), await figuresOf(none)]
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  const row = (work: string, product: number, yardstick: number): BenchRow => ({
    work,
    product: mb(product),
    yardstick: `without the index ${mb(yardstick)}`,
    ratio: '–',
    target: '–',
    met: true,
  })
  return [
    row('heap of the page', own.page, bare.page),
    row('heaps of its workers, with their buffers', own.workers, bare.workers),
    row('IndexedDB of the site', own.database, bare.database),
  ]
}
