import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { plainPng } from '@fellowship/api/testing/sample-pictures'

/**
 * A tile server of our own: tests ask nothing of other people's. Answering the browser's requests for tiles instead
 * would hold up every request of every page, and keep the browser from its cache.
 */
export interface Tiles {
  /** As TILE_URL wants it. */
  readonly url: string
  /** What was asked of it. */
  asked: { url: string; headers: IncomingHttpHeaders }[]
  refusing: boolean
}

export async function serveTiles(): Promise<Tiles> {
  const tile = plainPng(256, 256)
  const server = createServer((request, response) => {
    tiles.asked.push({ url: request.url!, headers: request.headers })
    if (tiles.refusing) response.writeHead(403).end()
    else response.writeHead(200, { 'content-type': 'image/png', 'content-length': tile.length }).end(tile)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  // It goes with the process that asked for it.
  server.unref()
  const { port } = server.address() as AddressInfo
  const tiles: Tiles = {
    url: `http://127.0.0.1:${port}/{z}/{x}/{y}.png`,
    asked: [],
    refusing: false,
  }
  return tiles
}
