import { createServer } from 'node:http'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { vttOf, withTimes } from '@fellowship/schema/transcripts/vtt-file'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { addSessionCookie } from '../../../e2e/support/people.ts'
import type { Area, BenchRow } from '../area.ts'
import { benchBrowser } from '../bench-browser.ts'
import { startLibrary } from '../library.ts'
import { longRecording, publish } from '../recording.ts'
import { median } from '../rounds.ts'
import { hourTexts } from '../spoken-texts.ts'
import { slowdown } from '../watched-page.ts'

const title = 'An hour of words'
const rounds = 5
const scrollMs = 4_000

/** The editor with the text of an hour: frames while it scrolls, and while it follows the sound. */
export const textEditor: Area = {
  name: 'text-editor',
  needs: [],
  async run({ report, onEnd }) {
    const library = await startLibrary()
    onEnd(() => library.stop())
    const sentences = hourTexts(1).texts[0]!
    await publish(library, await longRecording(28_800_000, 1), title)
    const teaching = (await call(teachings.list, {}, library.browser)).find((row) => row.title === title)!
    const transcript = new File([vttOf(withTimes(sentences), 'en')], 'hour.vtt')
    const params = { id: teaching.id }
    await call(transcripts.save, { params, query: {}, body: {}, files: { transcript } }, library.browser)
    const bare = await servePlain(sentences.map(({ text }) => text))
    onEnd(() => bare.stop())
    const browser = await benchBrowser({ onEnd })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await addSessionCookie(library.browser, context)
    // The TypeScript runner emits calls of a helper that the page does not have.
    await context.addInitScript('globalThis.__name = (named) => named')
    const page = await context.newPage()
    await page.goto(library.url + teachingPath(teaching))
    await page.getByRole('button', { name: /the text$/ }).click()
    const editor = page.getByRole('dialog', { name: /^Text of / })
    await editor.locator('.text-editor li').nth(599).waitFor({ state: 'attached' })
    const plain = await context.newPage()
    await plain.goto(bare.url)
    const scrolls = { product: [] as Frames[], yardstick: [] as Frames[] }
    for (let round = -1; round < rounds; round += 1) {
      const own = await scrolled(page)
      const beside = await scrolled(plain)
      if (round < 0) continue
      scrolls.product.push(own)
      scrolls.yardstick.push(beside)
    }
    report(rowOf('scrolls', scrolls.product, scrolls.yardstick))
    const follows: Frames[] = []
    await page.bringToFront()
    await editor
      .getByRole('button', { name: /^Play from/ })
      .first()
      .click()
    await page.evaluate((speed) => {
      for (const audio of document.querySelectorAll('audio')) audio.playbackRate = speed
    }, soundSpeed)
    const marked = editor.locator('li[aria-current]')
    const at = async () => Number(await marked.getAttribute('data-at'))
    const before = await at()
    for (let round = 0; round < rounds; round += 1) follows.push(await followed(page))
    const passed = (await at()) - before
    report(rowOf(`follows the sound, ${passed} sentences further`, follows, scrolls.yardstick))
  },
}

/** Share of frames that came later than the next one of 60 a second, and than the one after it. */
interface Frames {
  count: number
  late: number
  veryLate: number
  longest: number
}

async function slowed<Result>(page: Page, work: () => Promise<Result>): Promise<Result> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const result = await work()
  await devtools.detach()
  return result
}

const scrolled = async (page: Page): Promise<Frames> => {
  await page.bringToFront()
  await page.mouse.move(200, 600)
  return slowed(page, async () => {
    await watchFrames(page)
    const ends = Date.now() + scrollMs
    for (let turn = 0; Date.now() < ends; turn += 1) {
      await page.mouse.wheel(0, turn % 120 < 60 ? 180 : -180)
      await page.waitForTimeout(16)
    }
    return framesOf(page)
  })
}

/** The sound at this many times its speed: another sentence every one and a half seconds. */
const soundSpeed = 4

const followed = (page: Page): Promise<Frames> =>
  slowed(page, async () => {
    await watchFrames(page)
    await page.waitForTimeout(scrollMs)
    return framesOf(page)
  })

const watchFrames = (page: Page) =>
  page.evaluate(() => {
    const gaps: number[] = []
    Object.assign(window, { gaps })
    let before: number | undefined
    const frame = (now: number) => {
      if (before !== undefined) gaps.push(now - before)
      before = now
      if ((window as unknown as { gaps: number[] }).gaps === gaps) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })

const framesOf = (page: Page): Promise<Frames> =>
  page.evaluate(() => {
    const { gaps } = window as unknown as { gaps: number[] }
    Object.assign(window, { gaps: undefined })
    return {
      count: gaps.length,
      late: gaps.filter((gap) => gap > 25).length / gaps.length,
      veryLate: gaps.filter((gap) => gap > 42).length / gaps.length,
      longest: Math.max(...gaps),
    }
  })

function rowOf(work: string, own: readonly Frames[], bare: readonly Frames[]): BenchRow {
  const share = (all: readonly Frames[], of: (frames: Frames) => number) =>
    `${(100 * median(all.map(of))).toFixed(1)} %`
  const text = (all: readonly Frames[]) =>
    `${share(all, ({ late }) => late)} late, ${share(all, ({ veryLate }) => veryLate)} by more than a frame, ` +
    `longest ${median(all.map(({ longest }) => longest)).toFixed(0)} ms, ` +
    `${Math.round(median(all.map(({ count }) => count)))} frames`
  const late = median(own.map((frames) => frames.late))
  return {
    work: `the editor with 600 sentences ${work}, CPU ÷ ${slowdown}`,
    product: text(own),
    yardstick: `a plain list ${text(bare)}`,
    ratio: '–',
    target: '≤ 5 % late',
    met: late <= 0.05,
  }
}

/** A page with the sentences alone. */
async function servePlain(sentences: readonly string[]): Promise<{ url: string; stop(): void }> {
  const items = sentences.map((text) => `<li>${text}</li>`).join('')
  const html = `<!doctype html><meta name="viewport" content="width=device-width"><style>li{padding:12px}</style><ol>${items}</ol>`
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, stop: () => void server.close() }
}
