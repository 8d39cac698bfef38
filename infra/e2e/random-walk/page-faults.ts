import type { Page } from 'playwright-core'

/**
 * What no page may show, whatever was done: one line each, such as `duplicate id: "note"`. Where a transition runs it may be
 * there for a moment.
 */
export const pageFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const faults: string[] = []
    const root = document.documentElement
    const isShown = (element: Element) =>
      element.checkVisibility() && element.closest('[inert], [aria-hidden="true"]') === null
    const opening = (element: Element) => element.outerHTML.slice(0, 120)

    if (root.scrollWidth > innerWidth + 1) {
      const beyond = [...document.querySelectorAll('body *')].filter(
        (element) =>
          element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('.leaflet-container'),
      )
      faults.push(`wider than the window: ${beyond.slice(-2).map(opening).join(' ')}`)
    }

    const dialog = document.querySelector('[role="dialog"], [role="alertdialog"], dialog[open]')
    const isCovered = dialog !== null || document.querySelector('[role="menu"], [role="listbox"]') !== null
    if (!isCovered && document.querySelector('body > [inert], #root[inert], main[inert]'))
      faults.push('out of reach without a dialog')
    if (!isCovered && root.style.overflow === 'hidden') faults.push('does not scroll without a dialog')

    const modal = document.querySelector('[aria-modal="true"]')
    if (modal && !document.querySelector('#root')?.closest('[inert]'))
      faults.push('within reach behind a modal dialog')

    const focused = document.activeElement
    if (modal && focused === document.body) faults.push('a modal dialog without focus')
    if (focused && focused !== document.body && !isShown(focused))
      faults.push(`focus on what is hidden: ${opening(focused)}`)

    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at)))
      faults.push(`duplicate id: "${id}"`)

    if ((document.querySelector('main')?.innerText.trim() ?? '').length < 5) faults.push('nothing in main')
    const [said] =
      /.{0,40}(?:Something went wrong|undefined|\[object|\bNaN\b|Invalid Date).{0,40}/.exec(
        document.body.innerText,
      ) ?? []
    if (said !== undefined) faults.push(`says: ${said}`)

    for (const button of document.querySelectorAll('button')) {
      const { width, height } = button.getBoundingClientRect()
      const isPlaced =
        getComputedStyle(button).position === 'absolute' || button.closest('.leaflet-container')
      // WCAG 2.5.8: 24 pixels, or the room of that size around it, which this does not measure.
      if (isShown(button) && width > 0 && Math.min(width, height) < 20 && !isPlaced)
        faults.push(`small target, ${Math.round(width)} × ${Math.round(height)}: ${opening(button)}`)
    }
    return faults
  })
