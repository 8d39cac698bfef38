import { makeStore, useStore } from './lazy-store.ts'
import { listen } from './listen.ts'

/**
 * How much unfinished work a reload would destroy: a playing teaching, a half-filled form, a file being copied. Each
 * such work holds the page; an update waits until nothing does.
 */
const holds = makeStore(0)

/** Holds the page until the returned function is called. */
export function holdPage(): () => void {
  let isHeld = true
  holds.set(holds.snapshot() + 1)
  return () => {
    if (isHeld) holds.set(holds.snapshot() - 1)
    isHeld = false
  }
}

/** Holds the page, and has the browser ask before it is left, until the returned function is called. */
export function holdAndAsk(): () => void {
  const release = holdPage()
  const stopAsking = listen(window, ['beforeunload'], (event) => event.preventDefault())
  return () => {
    stopAsking()
    release()
  }
}

/** Holds the page during `work`: no update reloads it, and the browser asks before it is left. */
export async function holdWhile<T>(work: () => Promise<T>): Promise<T> {
  const release = holdAndAsk()
  try {
    return await work()
  } finally {
    release()
  }
}

export const isPageHeld = (): boolean => holds.snapshot() > 0

/** Calls back whenever a hold begins or ends. */
export const onPageHeld = holds.subscribe

export const usePageHeld = (): boolean => useStore(holds) > 0
