import type { TestBrowser } from '../../../e2e/support/browser.ts'
import type { Area } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { startLibrary } from '../library.ts'
import { median, medianAndRange } from '../rounds.ts'
import { firstRow, openCold, slowdown } from '../watched-page.ts'

const teachings = 10_000
const opens = 17
const limitMs = 500

/** A first visit to /teaching in a browser without any data of the site. */
export const firstVisit: Area = {
  name: 'first-visit',
  needs: [],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings })
    onEnd(() => library.stop())
    const browser = await benchBrowser({ onEnd })
    // The first open warms the caches of the server and of the disk.
    await openUntilUsable(browser, library.url)
    const usable: number[] = []
    for (let open = 0; open < opens; open += 1) usable.push(await openUntilUsable(browser, library.url))
    report({
      work: `first visit to /teaching with ${teachings} teachings until its rows can be used, CPU ÷ ${slowdown}`,
      product: medianAndRange(usable),
      yardstick: '–',
      ratio: '–',
      target: `≤ ${limitMs} ms`,
      met: median(usable) <= limitMs,
    })
  },
}

/** From the navigation, in milliseconds. */
async function openUntilUsable(browser: TestBrowser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const { usable } = await firstRow(await openCold(context, `${url}/teaching`))
  await context.close()
  return usable
}
