import { elderScrollTimings as timings } from './elders.timings.ts'

/** The id of an elder's block on About. The id of the card on Home is the lower-cased name alone. */
export const aboutAnchor = (name: string): string => `elder-${name.toLowerCase()}`
export const homeAnchor = (name: string): string => name.toLowerCase()

let pending: ReturnType<typeof setTimeout> | undefined

/** From Home: after 100 ms to the elder's block, with retries until it is rendered. */
export const scrollToBlock = (name: string): void => scrollTo(aboutAnchor(name), timings.homeToAboutMs)

/** From About: after 200 ms to the elder's card, with up to ten retries every 100 ms. */
export const scrollToCard = (name: string): void => scrollTo(homeAnchor(name), timings.aboutToHomeMs)

/** A later click cancels an earlier one. */
function scrollTo(id: string, firstMs: number): void {
  clearTimeout(pending)
  let retries: number = timings.retries
  const attempt = () => {
    const element = document.getElementById(id)
    if (element) return reveal(element)
    if (retries <= 0) return
    retries -= 1
    pending = setTimeout(attempt, timings.retryMs)
  }
  pending = setTimeout(attempt, firstMs)
}

function reveal(element: HTMLElement): void {
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
  element.scrollIntoView({ behavior: reducedMotion ? 'instant' : 'smooth', block: 'center' })
  // Tab continues from here, and a screen reader announces the elder.
  element.querySelector<HTMLElement>('a')?.focus({ preventScroll: true })
}
