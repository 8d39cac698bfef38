/**
 * Work that a reload would destroy: a playing teaching, a half-filled form, a file being copied. Whoever does such
 * work holds the page; an update waits until nobody does.
 */
const holds = new Set<symbol>()
const listeners = new Set<() => void>()

/** Holds the page until the returned function is called. */
export function holdPage(): () => void {
  const hold = Symbol('hold')
  holds.add(hold)
  tell()
  return () => {
    if (holds.delete(hold)) tell()
  }
}

/** Holds the page during `work`: no update takes it away, and the browser asks before it is left. */
export async function holdWhile<T>(work: () => Promise<T>): Promise<T> {
  const release = holdPage()
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', ask)
  try {
    return await work()
  } finally {
    removeEventListener('beforeunload', ask)
    release()
  }
}

export const isPageHeld = (): boolean => holds.size > 0

/** Told when the first hold begins and when the last one ends. */
export function onPageHeld(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}
