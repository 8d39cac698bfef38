import { manyTeachings } from '@fellowship/schema/testing/builders'
import type { BrowserContext, Page } from 'playwright-core'
import { cachedLibrary } from '../../../e2e/support/offline-steps.ts'
import type { Area, BenchRow } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { serveBareList } from '../bare-list.ts'
import { startLibrary } from '../library.ts'
import { reserveCoreForPage } from '../page-core.ts'
import { median, medianAndRange, percentile, ratioText } from '../rounds.ts'
import { firstRow, keystrokes, openCold, slowdown, type Key } from '../watched-page.ts'

const teachings = 10_000
const rounds = 5

/** Cold start on a phone: server unreachable, slow processor, large library. */
export const offlineOpen: Area = {
  name: 'offline-open',
  needs: [],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings })
    onEnd(() => library.stop())
    const bare = await serveBareList(manyTeachings(teachings))
    onEnd(() => bare.stop())
    const browser = await benchBrowser({ onEnd })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await firstVisit(context, library.url)
    process.kill(library.pid, 'SIGKILL')
    // Warms the disk cache.
    await oneRound(context, library.url, bare.url)
    const all: Round[] = []
    for (let round = 0; round < rounds; round += 1) all.push(await oneRound(context, library.url, bare.url))
    console.log(`The slowest keys, in ms: ${slowest(all.flatMap(({ keys }) => keys))}`)
    for (const row of rowsOf(all)) report(row)
  },
}

interface Round {
  seen: number
  usable: number
  /** The same at the speed of this machine. */
  full: { seen: number; usable: number }
  /** When the yardstick page, which comes from a server, shows its first row. */
  bareSeen: number
  /** Pressed while the library is still being read. */
  early: Key[]
  keys: Key[]
  /** On the yardstick page. */
  bare: Key[]
}

async function oneRound(context: BrowserContext, url: string, bareUrl: string): Promise<Round> {
  const quick = await openCold(context, `${url}/teaching`, 1)
  const full = await firstRow(quick)
  await quick.close()
  const page = await openCold(context, `${url}/teaching`)
  const opened = await firstRow(page)
  const { early, typed: keys } = await typedAlone(context, page)
  await page.close()
  const yardstick = await openCold(context, bareUrl)
  const { seen: bareSeen } = await firstRow(yardstick)
  const { typed: bare } = await typedAlone(context, yardstick)
  await yardstick.close()
  return { ...opened, full, bareSeen, early, keys, bare }
}

async function typedAlone(context: BrowserContext, page: Page): ReturnType<typeof keystrokes> {
  const releaseCores = await reserveCoreForPage(context)
  try {
    return await keystrokes(page)
  } finally {
    releaseCores()
  }
}

function rowsOf(all: readonly Round[]): BenchRow[] {
  const usable = all.map((round) => round.usable)
  const painted = keyFigures(all, ({ took }) => took)
  const early = all.flatMap((round) => round.early.map(({ took }) => took))
  const besideBare = (ratio: (round: Round) => number) => ({
    yardstick: `baseline page, first row seen ${medianAndRange(all.map(({ bareSeen }) => bareSeen))}`,
    ratio: ratioText(all.map(ratio)),
  })
  const withoutYardstick = { yardstick: '–', ratio: '–' }
  const withoutTarget = { target: '–', met: true }
  const atFullSpeed = (work: string, most: number, time: (round: Round) => number): BenchRow => ({
    work: `cold offline open of /teaching with ${teachings} teachings ${work}, at this machine’s speed`,
    product: medianAndRange(all.map(time)),
    ...withoutYardstick,
    target: `≤ ${most} ms`,
    met: median(all.map(time)) <= most,
  })
  return [
    atFullSpeed('until the first row is seen', 150, ({ full }) => full.seen),
    atFullSpeed('to the first usable row', 300, ({ full }) => full.usable),
    {
      work: `cold offline open of /teaching with ${teachings} teachings until the first row is seen, CPU ÷ ${slowdown}`,
      product: medianAndRange(all.map(({ seen }) => seen)),
      ...besideBare(({ seen, bareSeen }) => seen / bareSeen),
      target: '≤ 150 ms',
      met: median(all.map(({ seen }) => seen)) <= 150,
    },
    {
      work: `cold offline open of /teaching with ${teachings} teachings to the first usable row, CPU ÷ ${slowdown}`,
      product: medianAndRange(usable),
      ...besideBare((round) => round.usable / round.bareSeen),
      target: '≤ 300 ms',
      met: median(usable) <= 300,
    },
    {
      work: `a key pressed while the library is still being read, from the first row on, CPU ÷ ${slowdown}`,
      product: medianAndRange(early),
      ...withoutYardstick,
      target: '≤ 150 ms',
      met: median(early) <= 150,
    },
    {
      work: `keystroke to the last DOM change, before paint, p95, CPU ÷ ${slowdown}`,
      ...keyFigures(all, ({ answered }) => answered).texts,
      ...withoutTarget,
    },
    {
      work: `keystroke to painted list, p95, CPU ÷ ${slowdown}`,
      ...painted.texts,
      target: '≤ 50 ms',
      met: painted.p95 <= 50,
    },
    {
      work: `keystroke to painted suggestions, where they follow the list, p95, CPU ÷ ${slowdown}`,
      ...keyFigures(all, (key) => key.all).texts,
      ...withoutTarget,
    },
  ]
}

/** Percentiles over all rounds; ratios per round. */
function keyFigures(all: readonly Round[], duration: (key: Key) => number) {
  const p95 = (keys: readonly Key[]) => percentile(keys.map(duration), 0.95)
  const text = (keys: readonly Key[]) =>
    `${p95(keys).toFixed(0)} ms (median ${median(keys.map(duration)).toFixed(0)} of ${keys.length})`
  const keys = all.flatMap((round) => round.keys)
  return {
    p95: p95(keys),
    texts: {
      product: text(keys),
      yardstick: `baseline page ${text(all.flatMap(({ bare }) => bare))}`,
      ratio: ratioText(all.map((round) => p95(round.keys) / p95(round.bare))),
    },
  }
}

/** The twelve slowest keys: the text of the search box after each, and its duration. */
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
  // Prerendered pages are cached in idle time, again after each part of the library.
  while ((await cachedLibrary(page, url)) === undefined) await page.waitForTimeout(100)
  await page.close()
}
