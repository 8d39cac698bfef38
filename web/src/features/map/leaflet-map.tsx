import { addressLine, church } from '@fellowship/schema/church'
import { useEffect, useRef } from 'react'
import { createView, pinAt } from '../../ui/leaflet-view.ts'

interface LeafletMapProps {
  /** Called on a click on the map, or on a click or Enter on the marker. */
  onAsk: () => void
  /** Called when the tiles fail to load. */
  onFailed: () => void
}

/** The page scrolls past the map: neither the wheel nor one finger pans it. */
export function LeafletMap({ onAsk, onFailed }: LeafletMapProps) {
  const frame = useRef<HTMLDivElement>(null)
  const latest = useRef({ onAsk, onFailed })
  useEffect(() => {
    latest.current = { onAsk, onFailed }
  })
  useEffect(() => {
    const view = draw(frame.current!, {
      onAsk: () => latest.current.onAsk(),
      onFailed: () => latest.current.onFailed(),
    })
    return () => void view.remove()
  }, [])
  return <div ref={frame} className="leaflet-frame absolute inset-0" />
}

function draw(frame: HTMLElement, { onAsk, onFailed }: LeafletMapProps) {
  const { map, name, address } = church()
  const view = createView(frame, map!, { onFailed })
  pinAt(map!, `${name}: get directions`, 'Get directions')
    .addTo(view)
    .bindPopup(`<strong>${name}</strong><br>${addressLine(address)}`, {
      autoClose: false,
      closeOnClick: false,
      closeButton: false,
      autoPan: false,
      offset: [0, -40],
      maxWidth: 220,
    })
    .openPopup()
    // Leaflet's own handlers would close the popup on both events.
    .off('click keypress')
    .on('click keypress', (event) => {
      const { originalEvent } = event as { originalEvent?: Event }
      if (originalEvent instanceof KeyboardEvent && originalEvent.key !== 'Enter') return
      onAsk()
    })
  view.on('click', onAsk)
  return view
}
