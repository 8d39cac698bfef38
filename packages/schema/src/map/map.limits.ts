/** The tile server unless TILE_URL is set, and the attribution it requires. */
export const mapTiles = {
  url: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
  attribution: '&copy; <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> contributors',
  maxZoom: 19,
} as const

/** Name of the meta tag that carries the configured tile URL. */
export const tileUrlMeta = 'tile-url'
