import { church } from '@fellowship/schema/church'
import { mapTiles, tileUrlMeta } from '@fellowship/schema/map/map.limits'
import { divIcon, map as createMap, marker as createMarker, tileLayer } from 'leaflet'
import 'leaflet/dist/leaflet.css'
import { useEffect, useRef } from 'react'
import './leaflet-map.css'

interface LeafletMapProps {
  /** Called on a click on the map, or on a click or Enter on the marker. */
  onAsk: () => void
  /** Called when the tiles fail to load. */
  onFailed: () => void
}

/** The only module that imports Leaflet. The page scrolls past the map: neither the wheel nor one finger pans it. */
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
  const { latitude, longitude, zoom, maxZoom } = church.map
  const place: [number, number] = [latitude, longitude]
  const fine = matchMedia('(pointer: fine)').matches
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  const view = createMap(frame, {
    center: place,
    zoom,
    scrollWheelZoom: false,
    dragging: fine,
    zoomAnimation: !still,
    fadeAnimation: !still,
    markerZoomAnimation: !still,
  })
  view.attributionControl.setPrefix(false)

  const tiles = tileLayer(tileUrl(), {
    maxZoom,
    attribution: mapTiles.attribution,
    // The tile server's usage policy requires a Referer, even if the page's own policy sends none.
    referrerPolicy: 'strict-origin-when-cross-origin',
  })
  let [loaded, failed] = [0, 0]
  tiles.on('tileload', () => void (loaded += 1))
  tiles.on('tileerror', () => {
    failed += 1
    // One missing tile is tolerated; if no tile loads, the map has failed.
    if (loaded === 0 && failed >= 3) onFailed()
  })
  tiles.addTo(view)

  const icon = divIcon({ className: 'leaflet-pin', html: pin, iconSize: [44, 52], iconAnchor: [22, 50] })
  createMarker(place, { icon, title: 'Get directions', alt: `${church.name}: get directions` })
    .addTo(view)
    .bindPopup(`<strong>${church.name}</strong><br>${church.address.line}`, {
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

const tileUrl = () =>
  document.querySelector<HTMLMetaElement>(`meta[name="${tileUrlMeta}"]`)?.content || mapTiles.url

const pin =
  '<svg viewBox="0 0 44 52" aria-hidden="true"><path class="pin" d="M22 51C10 36 4 28 4 20a18 18 0 0 1 36 0c0 8-6 16-18 31Z"/>' +
  '<path class="cross" d="M22 11v19M15.5 17.5h13"/></svg>'
