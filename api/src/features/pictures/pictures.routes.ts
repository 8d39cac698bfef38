import { coverHash, photoHash } from '@fellowship/schema/elders/elder-photo'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { rawRoute, type RawRoute } from '../../http/deliver.ts'
import { openHeaders } from '../../http/security-headers.ts'
import { sendFile } from '../../http/send-file.ts'

/** `/images/<hash>-…`: the address is the hash of the bytes, so the picture may be cached forever. */
export function pictureRoute(context: Context): RawRoute {
  const { storage, config } = context
  return rawRoute(context, {
    matches: (_, pathname) => pathname.startsWith('/images/'),
    failureHeaders: openHeaders(config),
    async send(request, response, pathname) {
      const type = photoHash(pathname) ? 'image/webp' : coverHash(pathname) ? 'image/jpeg' : undefined
      if (!type) throw new Problem('not_found', 'There is no picture at this address.')
      const name = pathname.slice('/images/'.length)
      await using file = await storage.open('images', name)
      if (!file) throw new Problem('not_found', 'There is no picture at this address.')
      const headers = {
        ...openHeaders(config),
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
      }
      await sendFile(request, response, file, { tag: `"${name}"`, headers })
    },
  })
}
