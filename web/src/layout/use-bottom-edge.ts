import { useEffect, type RefObject } from 'react'
import { standAbove } from '../ui/toast-place.ts'

/**
 * Has toasts stand above the bottom edge of the page: the player's bar must stay in sight and within reach, and is as high
 * as the text size makes it.
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
    const observer = new ResizeObserver(() => {
      const above = notices.current?.offsetHeight ?? 0
      standAbove({ bar: all.offsetHeight - above, all: all.offsetHeight })
    })
    observer.observe(all)
    return () => observer.disconnect()
  }, [edge, notices])
}
