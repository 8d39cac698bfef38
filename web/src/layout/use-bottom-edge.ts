import { useEffect, type RefObject } from 'react'
import { toastPlace } from '../ui/toaster.tsx'

/**
 * Places toasts above the bottom edge of the page, so that the player's bar stays visible; its height depends on the text
 * size. Sets the heights on the toasts' element only, so that nothing else is laid out again; `late.css` uses them.
 *
 * @param edge everything at the bottom edge
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
