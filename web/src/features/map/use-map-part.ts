import { useEffect, useState, type ComponentType, type RefObject } from 'react'
import { listen } from '../../lib/listen.ts'
import { mapStylesheetWaitMs } from '../../ui/timings.ts'

export interface MapPartProps {
  onAsk: () => void
  onFailed: () => void
}

type MapPart = { status: 'waiting' | 'failed' } | { status: 'ready'; Map: ComponentType<MapPartProps> }

/** Loads the library and its stylesheet as one module, which fails if either does. */
const loadMap = () => import('./leaflet-map.tsx').then(({ LeafletMap }) => LeafletMap)

/**
 * The interactive map, loaded when its container comes near the viewport. It counts as unavailable if the library or its
 * stylesheet fails, or has not loaded within 2 seconds. It is retried when the browser is online.
 */
export function useMapPart(
  place: RefObject<HTMLElement | null>,
  load: () => Promise<ComponentType<MapPartProps>> = loadMap,
) {
  const [part, setPart] = useState<MapPart>({ status: 'waiting' })
  const [attempt, setAttempt] = useState(0)
  const near = useNear(place)

  useEffect(() => {
    if (!near) return
    let over = false
    const settle = (next: MapPart) => {
      if (over) return
      over = true
      clearTimeout(late)
      setPart(next)
    }
    const late = setTimeout(() => settle({ status: 'failed' }), mapStylesheetWaitMs)
    // Offline the module may be cached, but its tiles are not.
    const asked = navigator.onLine ? load() : Promise.reject(new Error('offline'))
    asked.then(
      (Map) => settle({ status: 'ready', Map }),
      () => settle({ status: 'failed' }),
    )
    return () => {
      over = true
      clearTimeout(late)
    }
  }, [near, attempt, load])

  const failed = part.status === 'failed'
  useEffect(() => {
    if (!failed) return
    const again = () => {
      setPart({ status: 'waiting' })
      setAttempt((count) => count + 1)
    }
    return listen(window, ['online'], again)
  }, [failed])

  return { part, fail: () => setPart({ status: 'failed' }) }
}

/** Whether the container has come within a screen's height of the viewport. */
function useNear(place: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (near || !place.current) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setNear(true)
      },
      { rootMargin: '400px' },
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [near, place])
  return near
}
