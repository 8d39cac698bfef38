import { useRef, type PointerEvent, type RefObject } from 'react'

/** Pixels after which a swipe counts. */
const enough = 80

/** The events of the part that is swiped; it needs `touch-action: none`. */
interface SwipeHandle {
  onPointerDown: (event: PointerEvent) => void
  onPointerMove: (event: PointerEvent) => void
  onPointerUp: () => void
  onPointerCancel: () => void
}

/**
 * Calls back after a swipe downwards by a finger or a pen.
 *
 * @param panel follows the finger
 */
export function useSwipeDown(panel: RefObject<HTMLElement | null>, onSwiped: () => void): SwipeHandle {
  const from = useRef<number>(undefined)
  const by = useRef(0)
  const move = (pixels: number) => {
    by.current = pixels
    panel.current?.style.setProperty('transform', pixels > 0 ? `translateY(${pixels}px)` : '')
  }
  const end = (isCancelled: boolean) => {
    const swiped = from.current !== undefined && by.current >= enough && !isCancelled
    from.current = undefined
    move(0)
    if (swiped) onSwiped()
  }
  return {
    onPointerDown: ({ pointerType, clientY }) => {
      if (pointerType !== 'mouse') from.current = clientY
    },
    onPointerMove: ({ clientY }) => {
      if (from.current !== undefined) move(Math.max(0, clientY - from.current))
    },
    onPointerUp: () => end(false),
    onPointerCancel: () => end(true),
  }
}
