import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'

/** A drag in progress: the key of the dragged row, and its index if it is dropped now. */
interface Drag {
  key: string
  place: number
}

/**
 * Reorders the children of a list by a handle in each: pointer events, as the native drag and drop does not work by
 * touch, and the arrow keys. Escape cancels a drag.
 *
 * @param onMove the key, and its new index
 */
export function useListDrag(onMove: (key: string, to: number) => void) {
  const list = useRef<HTMLOListElement>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const placeUnder = (y: number) => {
    const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect())
    const at = rows.findIndex(({ bottom }) => y < bottom)
    return at < 0 ? rows.length - 1 : at
  }
  const handle = (key: string, at: number) => ({
    onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      setDrag({ key, place: at })
    },
    onPointerMove: ({ clientY }: PointerEvent) => drag && setDrag({ ...drag, place: placeUnder(clientY) }),
    // The place of the event: on a busy device the last move may not be rendered yet.
    onPointerUp: ({ clientY }: PointerEvent) => {
      const place = placeUnder(clientY)
      if (drag && place !== at) onMove(key, place)
      setDrag(null)
    },
    onPointerCancel: () => setDrag(null),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') return setDrag(null)
      const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
      if (!by) return
      event.preventDefault()
      onMove(key, at + by)
    },
  })
  return { list, drag, handle }
}
