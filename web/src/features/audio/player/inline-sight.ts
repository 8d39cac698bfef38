import { useEffect, useSyncExternalStore, type RefObject } from 'react'

let inSight = false
const listeners = new Set<() => void>()

const put = (next: boolean) => {
  inSight = next
  for (const listener of listeners) listener()
}

/** Watches whether the player in the row is on the screen; the bar is for when it is not. */
export function useReportSight(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const target = element.current
    if (!target || typeof IntersectionObserver === 'undefined') return
    put(true)
    const observer = new IntersectionObserver(([entry]) => put(entry?.isIntersecting ?? false), {
      threshold: 0.2,
    })
    observer.observe(target)
    return () => {
      observer.disconnect()
      put(false)
    }
  }, [element])
}

/** Whether the player in the row is on the screen. */
export const useInlineInSight = (): boolean => useSyncExternalStore(subscribe, () => inSight)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
