import type { BrowserContext, Page } from 'playwright-core'
import { serveLine, type Line, type LineQuality } from '../line/line.ts'
import type { BenchLibrary } from './library.ts'

/** One listener: a page and its own line to the server. */
export interface Listener {
  page: Page
  line: Line
  /** Presses play; resolves with the milliseconds until the element plays. */
  tap(recording: { title: string; audioUrl: string }): Promise<number>
  stop(): Promise<void>
}

/** While the site is installed and synced. */
const quick: LineQuality = { rate: 100_000_000, delay: 2 }

/** The product, installed and synced before its line becomes as bad as `quality`. */
export async function openProduct(
  context: BrowserContext,
  library: Pick<BenchLibrary, 'url'>,
  quality: LineQuality,
): Promise<Listener> {
  const line = await serveLine(library.url, quick)
  const page = await context.newPage()
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.goto(`${line.url}/teaching`)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
    timeout: 60_000,
  })
  await page.getByText(/^Up to date, /).waitFor({ timeout: 60_000 })
  line.become(quality)
  return {
    page,
    line,
    async tap({ title }) {
      // The list shows the newest only.
      await page.getByRole('searchbox').fill(title)
      return tapped(page, `Play ${title}`)
    },
    async stop() {
      await page.close()
      await line.stop()
    },
  }
}

/** A bare page with one audio element on a line of its own. */
export async function openBare(
  context: BrowserContext,
  library: Pick<BenchLibrary, 'url'>,
  quality: LineQuality,
): Promise<Listener> {
  const line = await serveLine(library.url, quick)
  const page = await context.newPage()
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.goto(`${line.url}/robots.txt`)
  line.become(quality)
  return {
    page,
    line,
    async tap({ audioUrl }) {
      await page.evaluate((url) => {
        const audio = document.createElement('audio')
        const button = document.createElement('button')
        button.ariaLabel = 'Play bare'
        button.textContent = 'Play'
        button.addEventListener('click', () => {
          audio.src = url
          void audio.play()
        })
        document.body.replaceChildren(button, audio)
      }, audioUrl)
      return tapped(page, 'Play bare')
    },
    async stop() {
      await page.close()
      await line.stop()
    },
  }
}

/** From the press until the element plays, by the clock of the page. */
async function tapped(page: Page, name: string): Promise<number> {
  const button = page.getByRole('button', { name, exact: true }).first()
  await button.waitFor()
  const time = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let pressedAt = 0
        addEventListener('click', ({ timeStamp }) => (pressedAt = timeStamp), { capture: true, once: true })
        document
          .querySelector('audio')!
          .addEventListener('playing', ({ timeStamp }) => resolve(timeStamp - pressedAt), { once: true })
      }),
  )
  await button.click()
  return time
}
