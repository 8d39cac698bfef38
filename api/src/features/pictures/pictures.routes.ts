import { coverHash, logoHash, photoHash, shareHash } from '@fellowship/schema/elders/elder-photo'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { addressOfCaller } from '../../http/caller.ts'
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
      const type = typeOf(pathname)
      if (!type) throw new Problem('not_found', 'There is no picture at this address.')
      const name = pathname.slice('/images/'.length)
      await using file = await storage.open('images', name)
      if (!file) throw new Problem('not_found', 'There is no picture at this address.')
      const headers = {
        ...openHeaders(config),
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
      }
      const address = addressOfCaller(request, context)
      await sendFile(request, response, file, { tag: `"${name}"`, headers, address })
    },
  })
}

function typeOf(pathname: string): string | undefined {
  if (photoHash(pathname)) return 'image/webp'
  if (coverHash(pathname) ?? shareHash(pathname)) return 'image/jpeg'
  return logoHash(pathname) ? 'image/png' : undefined
}
