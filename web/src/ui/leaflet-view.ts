import { mapTiles, tileUrlMeta } from '@fellowship/schema/map/map.limits'
import { divIcon, map as createMap, marker as createMarker, tileLayer } from 'leaflet'
import 'leaflet/dist/leaflet.css'
import './leaflet-view.css'

export type { Map as MapView, Marker as MapMarker } from 'leaflet'

interface ViewOptions {
  /** Whether one finger moves the map; by default only a mouse does, so that the page scrolls past it. */
  dragging?: boolean
  onFailed?: () => void
}

/** A place in degrees, and the zoom at which it is shown. */
export interface Pin {
  latitude: number
  longitude: number
  zoom: number
}

/** A map with its tiles, which the wheel does not zoom. */
export function createView(
  frame: HTMLElement,
  { latitude, longitude, zoom }: Pin,
  { dragging = matchMedia('(pointer: fine)').matches, onFailed }: ViewOptions,
) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  const view = createMap(frame, {
    center: [latitude, longitude],
    zoom,
    scrollWheelZoom: false,
    dragging,
    zoomAnimation: !still,
    fadeAnimation: !still,
    markerZoomAnimation: !still,
  })
  view.attributionControl.setPrefix(false)

  const tiles = tileLayer(tileUrl(), {
    maxZoom: mapTiles.maxZoom,
    attribution: mapTiles.attribution,
    // The tile server's usage policy requires a Referer, even if the page's own policy sends none.
    referrerPolicy: 'strict-origin-when-cross-origin',
  })
  let [loaded, failed] = [0, 0]
  tiles.on('tileload', () => void (loaded += 1))
  tiles.on('tileerror', () => {
    failed += 1
    // One missing tile is tolerated; if no tile loads, the map has failed.
    if (loaded === 0 && failed >= 3) onFailed?.()
  })
  tiles.addTo(view)
  return view
}

export function pinAt({ latitude, longitude }: Pin, alt: string, title?: string) {
  const icon = divIcon({ className: 'leaflet-pin', html: pin, iconSize: [44, 52], iconAnchor: [22, 50] })
  return createMarker([latitude, longitude], { icon, alt, ...(title !== undefined && { title }) })
}

const tileUrl = () =>
  document.querySelector<HTMLMetaElement>(`meta[name="${tileUrlMeta}"]`)?.content || mapTiles.url

const pin =
  '<svg viewBox="0 0 44 52" aria-hidden="true"><path class="pin" d="M22 51C10 36 4 28 4 20a18 18 0 0 1 36 0c0 8-6 16-18 31Z"/>' +
  '<path class="cross" d="M22 11v19M15.5 17.5h13"/></svg>'
