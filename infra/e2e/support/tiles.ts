import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { plainPng } from '@fellowship/api/testing/sample-pictures'

/**
 * A local tile server, so that tests do not use a public one. Intercepting tile requests in the browser instead would slow
 * down every request and disable the HTTP cache.
 */
export interface Tiles {
  /** The TILE_URL setting. */
  readonly url: string
  /** The requests so far. */
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
  // Does not keep the test process running.
  server.unref()
  const { port } = server.address() as AddressInfo
  const tiles: Tiles = {
    url: `http://127.0.0.1:${port}/{z}/{x}/{y}.png`,
    asked: [],
    refusing: false,
  }
  return tiles
}
