/** Where the map's pictures come from unless TILE_URL says otherwise, and what its owners ask to be named. */
export const mapTiles = {
  url: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
  attribution: '&copy; <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> contributors',
} as const

/** The member of the page's head that carries the configured address of tiles. */
export const tileUrlMeta = 'tile-url'
