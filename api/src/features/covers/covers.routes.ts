import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { coverSvg } from '@fellowship/schema/covers/cover'
import { coverAt } from '@fellowship/schema/covers/cover-path'
import { coversDrawn } from '@fellowship/schema/covers/covers.limits'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { addressOfCaller } from '../../http/caller.ts'
import { rawRoute, type RawRoute, sendBody } from '../../http/deliver.ts'
import { memoryLimiter } from '../../http/limiter.ts'
import { openHeaders } from '../../http/security-headers.ts'
import type { LiveLibrary } from '../feed/feed.ts'
import { isInLibrary, pngCovers } from './covers.ts'

/** `/covers/…`: drawn covers by kind and title, which may be cached forever, as an address has one drawing. */
export function coverRoute(context: Context, library: () => Promise<LiveLibrary>): RawRoute {
  const { config, clock } = context
  const pngs = pngCovers()
  const drawn = memoryLimiter(clock, coversDrawn)
  const failureHeaders = openHeaders(config)
  const headers = Object.entries({
    ...failureHeaders,
    'cache-control': 'public, max-age=31536000, immutable',
  }).flat()
  return rawRoute(context, {
    matches: (_, pathname) => pathname.startsWith('/covers/'),
    failureHeaders,
    async send(request, response, pathname) {
      const cover = coverAt(pathname)
      if (!cover || !isInLibrary(await library(), cover))
        throw new Problem('not_found', 'There is no cover at this address.')
      const isDrawing = cover.format === 'svg'
      return sendBody(request, response, {
        headers,
        type: isDrawing ? 'image/svg+xml' : 'image/png',
        tag: createHash('sha256').update(pathname).digest('base64url').slice(0, 27),
        codings: isDrawing ? ['gzip'] : [],
        encode: (coding) => {
          if (!isDrawing) return pngs(cover, () => drawn.take(addressOfCaller(request, context)))
          const svg = Buffer.from(coverSvg(cover))
          return coding ? promisify(gzip)(svg) : svg
        },
      })
    },
  })
}
