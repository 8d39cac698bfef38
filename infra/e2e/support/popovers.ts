import type { Locator, Page } from 'playwright-core'

/** A reference of a text, which opens its passage. */
export const reference = (page: Page, name: string): Locator =>
  page.getByRole('button', { name, exact: true })
export const popovers = (page: Page): Locator => page.getByRole('dialog')

/** The position rules that the open popover breaks: its width, and 16 px to each edge. */
export async function strayings(page: Page, height: number): Promise<string[]> {
  const box = (await popovers(page).boundingBox())!
  const inside = await page.evaluate(() => document.documentElement.clientWidth)
  const kept = {
    width: box.width <= 384,
    left: box.x >= 16,
    right: box.x + box.width <= inside - 16,
    top: box.y >= 16,
    bottom: box.y + box.height <= height - 16,
  }
  return Object.entries(kept).flatMap(([name, holds]) => (holds ? [] : [`${name}: ${JSON.stringify(box)}`]))
}
