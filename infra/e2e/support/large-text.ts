import type { Locator, Page } from 'playwright-core'
import { brokenWords } from './broken-words.ts'
import { inSoak } from './in-soak.ts'
import { comesTo } from './screens.ts'

/** Not by a style element, which the content policy refuses. */
export const enlarge = (page: Page, size = '200%') =>
  page.evaluate((given) => document.documentElement.style.setProperty('font-size', given, 'important'), size)

/** Its readable or interactive elements that overflow on the right. */
const outside = (within: Locator): Promise<string[]> =>
  within.evaluate((frame) => {
    const edge = frame.getBoundingClientRect().right
    return (
      [...frame.querySelectorAll('button, input:not(.sr-only), select, label, p, h2, h3, time')]
        .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
        .filter((element) => element.getBoundingClientRect().right > edge + 1)
        // A row of tabs scrolls sideways.
        .filter((element) => !element.closest('[role=tablist]'))
        .map((element) => element.getAttribute('aria-label') ?? element.textContent ?? element.tagName)
    )
  })

export const fits = (within: Locator) => comesTo(() => outside(within), [])

/**
 * The sizes at which no word may break: 200% text, and the largest text that the site itself offers. What fits 320 pixels
 * fits 360, which is measured at night.
 */
const sizes = (inSoak ? [320, 360] : [320]).flatMap((width) =>
  [
    { name: '200%', text: '200%' },
    { name: 'A++', text: '131.25%' },
  ].map(({ name, text }) => ({ name: `${name} at ${width}`, width, text })),
)

/** Words that break and elements that overflow at any of these sizes. */
export async function largeTextProblems(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const { name, width, text } of sizes) {
    await page.setViewportSize({ width, height: 740 })
    await enlarge(page, text)
    const beyond = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    if (beyond > 0) found.push(`${name}: ${beyond} px sideways`)
    for (const word of await brokenWords(page)) found.push(`${name}: ${word}`)
    for (const part of await outside(page.locator('body'))) found.push(`${name}: ${part} is cut off`)
  }
  return found
}
