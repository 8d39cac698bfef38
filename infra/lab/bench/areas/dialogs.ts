import type { BrowserContext, Page } from 'playwright-core'
import type { Area } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { startLibrary } from '../library.ts'
import { median, ratioText } from '../rounds.ts'

const rounds = 5
const buttons = ['Share ', 'More for ', 'Display and data', 'Manage']

/** What a press opens: its code is on the device since the first visit, but this page has not loaded it yet. */
export const dialogs: Area = {
  name: 'dialogs',
  needs: [],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings: 200 })
    onEnd(() => library.stop())
    const browser = await benchBrowser({ onEnd })
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await onePage(context, library.url)
    const all: Opened[] = []
    for (let round = 0; round < rounds; round += 1) all.push(...(await onePage(context, library.url)))
    const first = median(all.map((opened) => opened.first))
    const again = median(all.map((opened) => opened.again))
    report({
      work: 'a press that opens a dialog for the first time on a page, to the frame that shows it',
      product: `${first.toFixed(0)} ms`,
      yardstick: `the same dialog opened again ${again.toFixed(0)} ms`,
      ratio: ratioText(all.map((opened) => opened.first / opened.again)),
      target: '≤ 100 ms',
      met: first <= 100,
    })
  },
}

interface Opened {
  first: number
  again: number
}

async function onePage(context: BrowserContext, url: string): Promise<Opened[]> {
  const page = await context.newPage()
  // The TypeScript runner emits calls of a helper that the page does not have.
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.goto(`${url}/teaching`)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.getByText(/^Up to date, /).waitFor()
  const opened: Opened[] = []
  for (const name of buttons) opened.push({ first: await open(page, name), again: await open(page, name) })
  await page.close()
  return opened
}

/** Milliseconds from the press to the frame with the dialog, which is closed again. */
async function open(page: Page, name: string): Promise<number> {
  const button = page.getByRole('button', { name }).first()
  const took = await button.evaluate(
    (element) =>
      new Promise<number>((resolve) => {
        const pressed = performance.now()
        const observer = new MutationObserver(() => {
          if (!document.querySelector('[role=dialog]')) return
          observer.disconnect()
          requestAnimationFrame(() => resolve(performance.now() - pressed))
        })
        observer.observe(document.body, { childList: true, subtree: true })
        ;(element as HTMLElement).click()
      }),
  )
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return took
}
