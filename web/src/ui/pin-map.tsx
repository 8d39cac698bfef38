import { useEffect, useEffectEvent, useRef } from 'react'
import { createView, type MapMarker, type MapView, type Pin, pinAt } from './leaflet-view.ts'

/** A map whose pin is set by a click. The keyboard moves and zooms it; the pin can be set by coordinates beside it. */
export function PinMap({ pin, onPick }: { pin: Pin; onPick: (pin: Pin) => void }) {
  const frame = useRef<HTMLDivElement>(null)
  const shown = useRef<{ view: MapView; marker: MapMarker }>(undefined)
  const first = useRef(pin)
  const pick = useEffectEvent((latitude: number, longitude: number, zoom: number) =>
    onPick({ latitude: rounded(latitude), longitude: rounded(longitude), zoom }),
  )
  useEffect(() => {
    const view = createView(frame.current!, first.current, { dragging: true })
    const marker = pinAt(first.current, 'The building', 'The building').addTo(view)
    view.on('click', ({ latlng }) => pick(latlng.lat, latlng.wrap().lng, view.getZoom()))
    shown.current = { view, marker }
    return () => void view.remove()
  }, [])
  const { latitude, longitude, zoom } = pin
  useEffect(() => {
    if (!shown.current) return
    const { view, marker } = shown.current
    marker.setLatLng([latitude, longitude])
    if (!view.getBounds().contains([latitude, longitude])) view.setView([latitude, longitude], zoom)
  }, [latitude, longitude, zoom])
  return (
    <div className="relative h-80 overflow-hidden rounded-card border border-line">
      <div ref={frame} className="leaflet-frame absolute inset-0" />
    </div>
  )
}

/** To the metre. */
const rounded = (degrees: number) => Math.round(degrees * 1e5) / 1e5
