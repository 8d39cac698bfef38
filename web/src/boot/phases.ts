import { isMissingPart } from '../lib/missing-part.ts'
import { isFirstVisitor } from './prerender-data.ts'

/*
 * The events that start.ts and the pages order their work by: the next task, the painted content, the hydrated page, the first
 * interaction, an idle browser, a connection that is back.
 */

/** Resolves in a new task, after pending input and frames. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/**
 * Resolves when the frame is handed to the compositor. The browser reports the paint itself later on a busy device, from
 * other threads.
 */
export const nextPaint = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))

let resolvePainted: () => void
const contentPainted = new Promise<void>((resolve) => (resolvePainted = resolve))

/** Milliseconds after which other work starts even if the page never marks its content. */
const maxPaintWaitMs = 500

/** Called by a page when its main content is rendered; `whenContentPainted` resolves after the frame that paints it. */
export const markContentPainted = (): void => void nextPaint().then(resolvePainted)

/** Resolves when the main content is painted, after half a second at the latest. */
export const whenContentPainted = (): Promise<void> =>
  Promise.race([contentPainted, new Promise<void>((resolve) => setTimeout(resolve, maxPaintWaitMs))])

let resolveHydrated: () => void

/** Resolves when React has hydrated the page content, not only the frame around it. */
export const hydrated = new Promise<void>((resolve) => (resolveHydrated = resolve))

/** Called by the page, or by the error page if it replaces it, once it is mounted. */
export const markHydrated = (): void => resolveHydrated()

/*
 * A visitor who is not signed in can read a prerendered page as it is. Replica, API client and dialogs load at the first
 * movement, or when the page has been open for a while.
 */

/** Milliseconds before an untouched page loads the rest. */
const readingMs = 5_000
const interactions = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'scroll', 'focusin'] as const

let firstInteraction: Promise<void> | undefined
let isOver = false
let end: Promise<void> | undefined

/** Listens from the first script on, because the reader may be quicker than the rest of the code. */
export function watchInteractions(): void {
  firstInteraction ??= new Promise((resolve) => {
    const listeners = new AbortController()
    const onInteraction = () => {
      listeners.abort()
      // The page responds to the interaction first.
      void nextPaint().then(resolve)
    }
    for (const name of interactions)
      window.addEventListener(name, onInteraction, { capture: true, passive: true, signal: listeners.signal })
  })
}

/** Resolves at the first interaction, or after some seconds; undefined if no work needs to be deferred. */
export function deferUntilInteraction(): Promise<void> | undefined {
  if (isOver || !firstInteraction || !isFirstVisitor()) return undefined
  end ??= Promise.race([firstInteraction, contentPainted.then(pause)]).then(() => void (isOver = true))
  return end
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, readingMs))

/**
 * Runs `work` when the browser is idle, after two seconds at the latest; on a first visit not before the first
 * interaction. Returns a function that cancels it.
 */
export function whenIdle(work: () => void): () => void {
  const interaction = deferUntilInteraction()
  if (!interaction) return whenNextIdle(work)
  let cancel: (() => void) | undefined
  let isCancelled = false
  void interaction.then(() => {
    if (!isCancelled) cancel = whenNextIdle(work)
  })
  return () => {
    isCancelled = true
    cancel?.()
  }
}

/** Runs `work` when the browser is idle, after two seconds at the latest. Returns a function that cancels it. */
export function whenNextIdle(work: () => void): () => void {
  // Safari has no requestIdleCallback; by a second later the first render is over.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 1_000)
    return () => clearTimeout(timer)
  }
  const request = requestIdleCallback(work, { timeout: 2_000 })
  return () => cancelIdleCallback(request)
}

/** Milliseconds between two attempts if no event reports that the connection is back. */
const attemptMs = 10_000

/**
 * Loads code of the site, and retries until it has arrived: until then the page stays as it is.
 *
 * @throws any other error than a failure to load, such as an error in the code itself
 */
export async function loadWithRetry<Code>(load: () => Promise<Code>): Promise<Code> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (!isMissingPart(error)) throw error
      await connectionMayBeBack()
    }
  }
}

const connectionMayBeBack = () =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(done, attemptMs)
    addEventListener('online', done)
    function done() {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
  })

/*
 * The two large libraries of the first page run in tasks of their own before the modules that use them: in one task,
 * a press on a slow phone would wait for both.
 */

export async function preloadReplica(): Promise<void> {
  await import('@fellowship/sync/client/database/app-database')
  await nextTask()
}

export async function preloadCalls(): Promise<void> {
  await import('@fellowship/sync/call/call')
  await nextTask()
}
