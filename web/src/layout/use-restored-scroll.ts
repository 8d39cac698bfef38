import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The longest wait for rows that are read from the device, in milliseconds. */
const waitMs = 5_000

/**
 * Restores the scroll position on going back. The router scrolls when the page is rendered; if its rows are still being
 * read, the page is too short. Then this scrolls when it is long enough, unless the user acts first.
 */
export function useRestoredScroll(): void {
  const router = useRouter()
  useEffect(() => {
    /** The scroll position of each entry of the history when it was left, in pixels. */
    const topOfEntry = new Map<string | undefined, number>()
    let stop = () => {}
    const ends = [
      router.subscribe('onBeforeLoad', ({ fromLocation }) => {
        stop()
        if (fromLocation) topOfEntry.set(fromLocation.state.__TSR_key, scrollY)
      }),
      router.subscribe('onRendered', ({ toLocation }) => {
        const top = topOfEntry.get(toLocation.state.__TSR_key)
        if (top !== undefined && top > scrollY + 1 && toLocation.hash === '') stop = goOnceLongEnough(top)
      }),
    ]
    return () => {
      stop()
      for (const end of ends) end()
    }
  }, [router])
}

/** @returns a function that stops waiting */
function goOnceLongEnough(top: number): () => void {
  const waiting = new AbortController()
  const { signal } = waiting
  const stop = () => waiting.abort()
  const observer = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - innerHeight < top) return
    scrollTo({ top, behavior: 'instant' })
    stop()
  })
  observer.observe(document.body)
  const timer = setTimeout(stop, waitMs)
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    observer.disconnect()
  })
  for (const act of ['wheel', 'pointerdown', 'keydown'])
    addEventListener(act, stop, { signal, passive: true })
  return stop
}
