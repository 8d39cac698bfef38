import { useEffect, type RefObject } from 'react'
import { makeStore, useStore } from '../../../lib/lazy-store.ts'

const inSight = makeStore(false)

/** Whether the large player is asked for: the bar of every page renders it. */
export const largePlayer = makeStore(false)

/** Watches whether the player in the row is on the screen; the bar is shown when it is not. */
export function useReportSight(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const target = element.current
    if (!target || typeof IntersectionObserver === 'undefined') return
    inSight.set(true)
    const observer = new IntersectionObserver(([entry]) => inSight.set(entry?.isIntersecting ?? false), {
      threshold: 0.2,
    })
    observer.observe(target)
    return () => {
      observer.disconnect()
      inSight.set(false)
    }
  }, [element])
}

export const useInlineInSight = (): boolean => useStore(inSight)
