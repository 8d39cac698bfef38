import { contentPainted } from './content-painted.ts'
import { isFirstVisitor } from './prerender-data.ts'

/*
 * A prerendered page of a visitor who is not signed in can be read as it is. What it does not need (replica, API calls,
 * dialogs) is loaded at the first movement, or when the page has been open for a while.
 */

/** Milliseconds that an untouched page is left alone. */
const readingMs = 5_000
const interactions = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'scroll', 'focusin'] as const

let firstInteraction: Promise<void> | undefined
let isOver = false
let end: Promise<void> | undefined

/** Listens from the first script on: the reader may be quicker than the rest of the code. */
export function watchInteractions(): void {
  firstInteraction ??= new Promise((resolve) => {
    const listeners = new AbortController()
    const onInteraction = () => {
      listeners.abort()
      // The page responds to the interaction first.
      requestAnimationFrame(() => setTimeout(resolve))
    }
    for (const name of interactions)
      window.addEventListener(name, onInteraction, { capture: true, passive: true, signal: listeners.signal })
  })
}

/** Resolves at the first interaction, or after some seconds; undefined where nothing needs to be deferred. */
export function deferUntilInteraction(): Promise<void> | undefined {
  if (isOver || !firstInteraction || !isFirstVisitor()) return undefined
  end ??= Promise.race([firstInteraction, contentPainted.then(pause)]).then(() => void (isOver = true))
  return end
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, readingMs))
