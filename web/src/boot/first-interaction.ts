import { contentPainted } from './content-painted.ts'
import { isFirstVisitor } from './prerender-data.ts'

/*
 * A page that came drawn, for somebody who is not signed in, can be read as it stands. So that nothing is in the
 * reader's way, what stands behind it (the device's copy, calls, the parts that a press opens) is fetched and run at
 * the reader's first movement, or when they have had the page for a while.
 */

/** So long a page that nobody touches is left alone, in milliseconds. */
const readingMs = 5_000
const movements = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'scroll', 'focusin'] as const

let moved: Promise<void> | undefined
let over = false
let ends: Promise<void> | undefined

/** Listens from the first script on: somebody may be quicker than the rest of them. */
export function watchInteractions(): void {
  moved ??= new Promise((resolve) => {
    const heard = new AbortController()
    const tell = () => {
      heard.abort()
      // The page answers the movement first.
      requestAnimationFrame(() => setTimeout(resolve))
    }
    for (const movement of movements)
      window.addEventListener(movement, tell, { capture: true, passive: true, signal: heard.signal })
  })
}

/** Until the first page has been read; undefined where nothing is to be waited for. */
export function deferUntilInteraction(): Promise<void> | undefined {
  if (over || !moved || !isFirstVisitor()) return undefined
  ends ??= Promise.race([moved, contentPainted.then(pause)]).then(() => void (over = true))
  return ends
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, readingMs))
