import { useEffect, type RefObject } from 'react'
import { toastPlace } from '../ui/toaster.tsx'

/**
 * Has toasts stand above the bottom edge of the page: the player's bar must stay in sight and within reach, and is as high
 * as the text size makes it. Only the element of the toasts learns the heights, so that nothing else is laid out anew;
 * `late.css` says what they are for.
 *
 * @param edge all that stands there
 * @param notices the notices in it, above the bar
 */
export function useBottomEdge(
  edge: RefObject<HTMLElement | null>,
  notices: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    const all = edge.current
    if (!all) return undefined
    const { style } = toastPlace()
    const observer = new ResizeObserver(() => {
      const above = notices.current?.offsetHeight ?? 0
      style.setProperty('--above-bar', `${all.offsetHeight - above}px`)
      style.setProperty('--above-all', `${all.offsetHeight}px`)
    })
    observer.observe(all)
    return () => observer.disconnect()
  }, [edge, notices])
}
