import type { Page } from 'playwright-core'
import { row } from './screens.ts'

/** Chooses something under More of a row. */
export async function choose(page: Page, title: string, choice: string): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: `More for ${title}` })
    .click()
  await page.getByRole('dialog', { name: title }).getByRole('button', { name: choice }).click()
}

/** The teachings of Up next on the screen, first to last. */
export const upNext = (page: Page): Promise<string[]> =>
  page
    .getByRole('list', { name: 'Up next' })
    .getByRole('button', { name: /^Play now/ })
    .evaluateAll((buttons) => buttons.map((button) => button.children[1]!.textContent))

/** Seeks to just before the end of the playing teaching and waits for its end. */
export async function nearEnd(page: Page): Promise<void> {
  await page.evaluate(() => {
    const audio = document.querySelector('audio')!
    audio.currentTime = audio.duration - 1
  })
}

/** The player, in its row or at the bottom edge, while this is open. */
export const bar = (page: Page, title: string) => page.getByRole('region', { name: `Player: ${title}` })

const handle = (page: Page, title: string) => page.getByRole('button', { name: `Reorder ${title}: drag` })

async function middleOf(page: Page, title: string): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await handle(page, title).boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

/** Drags one by its handle to the place of another, by the mouse. */
export async function drag(page: Page, title: string, to: string): Promise<void> {
  await handle(page, title).hover()
  const target = await middleOf(page, to)
  await page.mouse.down()
  await page.mouse.move(target.x, target.y, { steps: 4 })
  await page.mouse.up()
}

/** The same by a finger. */
export async function dragByTouch(page: Page, title: string, to: string): Promise<void> {
  await handle(page, title).scrollIntoViewIfNeeded()
  const [from, target] = [await middleOf(page, title), await middleOf(page, to)]
  const hand = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    hand.send('Input.dispatchTouchEvent', { type, touchPoints })
  await touch('touchStart', from)
  for (const share of [0.25, 0.5, 0.75, 1])
    await touch('touchMove', {
      x: from.x + (target.x - from.x) * share,
      y: from.y + (target.y - from.y) * share,
    })
  await touch('touchEnd')
  await hand.detach()
}
