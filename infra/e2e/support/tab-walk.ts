import type { Page } from 'playwright-core'

interface Walk {
  /** All focusable controls, by name. */
  controls: string[]
  /** Controls that Tab has reached. */
  visited: string[]
  /** Controls without a visible focus outline. */
  unseen: string[]
}

/** Lists the focusable controls of the main part, and records which get the focus and show it. */
const beginWalk = (page: Page) =>
  page.evaluate(() => {
    const main = document.getElementById('main')!
    const nameOf = (element: Element) => {
      const name =
        element.getAttribute('aria-label') ??
        (element as HTMLInputElement).labels?.[0]?.textContent ??
        element.textContent
      return `${element.tagName.toLowerCase()} ${name.trim()}`
    }
    const visible = (element: Element) => element.checkVisibility({ visibilityProperty: true })
    // Tab reaches the selected tab only; arrow keys move among tabs.
    const isPart = (element: HTMLElement) => element.matches(':disabled, [role=tab][aria-selected=false]')
    const takesFocus = (element: HTMLElement) => !isPart(element) && visible(element)
    const controls = [
      ...main.querySelectorAll<HTMLElement>(
        'a[href], button, input, select, textarea, summary, [tabindex="0"]',
      ),
    ].filter(takesFocus)
    const walk: Walk = { controls: controls.map(nameOf), visited: [], unseen: [] }
    const outlined = (element: Element | null) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element!)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    }
    main.focus()
    main.addEventListener('focusin', ({ target }) => {
      const element = target as HTMLElement
      const name = nameOf(element)
      walk.visited.push(name)
      // A visually hidden field shows the focus on its label.
      if (!outlined(element) && !outlined(element.closest('label') ?? element)) walk.unseen.push(name)
    })
    Object.assign(globalThis, { walk })
    // Tab stops at the hour, the minute, the half of the day and the clock of a time.
    return controls.length + 3 * main.querySelectorAll('input[type=time]').length
  })

const walked = (page: Page) => page.evaluate(() => (globalThis as unknown as { walk: Walk }).walk)

/** Presses Tab through the main part: the controls that it does not reach, or whose focus is not seen. */
export async function tabProblems(page: Page): Promise<string[]> {
  const count = await beginWalk(page)
  for (let presses = 0; presses < count; presses++) await page.keyboard.press('Tab')
  const { controls, visited, unseen } = await walked(page)
  const missed = controls.filter((name) => !visited.includes(name))
  return [
    ...(count === 0 ? ['nothing there'] : []),
    ...missed.map((name) => `Tab does not come to ${name}`),
    ...unseen.map((name) => `the focus is not seen on ${name}`),
  ]
}
