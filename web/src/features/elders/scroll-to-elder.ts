import { elderScrollTimings as timings } from './elders.timings.ts'

/** SPEC §2: the block on About is 'elder-' and the lower-cased name; the card on Home the lower-cased name alone. */
export const aboutAnchor = (name: string): string => `elder-${name.toLowerCase()}`
export const homeAnchor = (name: string): string => name.toLowerCase()

let pending: ReturnType<typeof setTimeout> | undefined

/** From Home: after about 100 ms to the elder's block; as long as it takes to be there, in the steps of the way back. */
export const scrollToBlock = (name: string): void => scrollTo(aboutAnchor(name), timings.homeToAboutMs)

/** From About: waits 200 ms, then looks for the card up to ten times more, every 100 ms. */
export const scrollToCard = (name: string): void => scrollTo(homeAnchor(name), timings.aboutToHomeMs)

/** One scroll at a time: a second click is another wish. */
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
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  element.scrollIntoView({ behavior: still ? 'instant' : 'smooth', block: 'center' })
  // Tab goes on from here, and a screen reader says who it is.
  element.querySelector<HTMLElement>('a')?.focus({ preventScroll: true })
}
