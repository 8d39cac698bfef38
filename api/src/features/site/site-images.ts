import { createHash } from 'node:crypto'
import { church } from '@fellowship/schema/church'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { rawRoute, type RawRoute, sendBody } from '../../http/deliver.ts'
import { openHeaders } from '../../http/security-headers.ts'
import { RecentMap } from '../../machine/caches.ts'
import { pngOfDrawing } from '../../machine/picture/pictures.ts'
import { readPart } from '../../machine/storage/blob-store.ts'
import { siteImages } from './site-drawings.ts'

/** Changes with everything that the pictures of the site are drawn from. */
export function lookVersion(): string {
  const { accent, logo, name, services } = church()
  const look = JSON.stringify([drawingVersion, accent, logo, name, services[0]?.words])
  return createHash('sha256').update(look).digest('hex').slice(0, 12)
}

/** Raised when the drawings themselves change. */
const drawingVersion = 1

/** The PNG of a picture of the site, by its address. */
export type SiteImageOf = (address: string) => Promise<Buffer>

/** Pictures of the site as the row has it now; each is drawn once for each look. */
export function siteImagesOf({ storage }: Pick<Context, 'storage'>): SiteImageOf {
  const drawn = new RecentMap<Promise<Buffer>>(Object.keys(siteImages).length * 2)
  return (address) => {
    const key = `${address} ${lookVersion()}`
    const known = drawn.get(key)
    if (known) return known
    const png = draw(address)
    drawn.set(key, png)
    png.catch(() => drawn.get(key) === png && drawn.delete(key))
    return png
  }

  async function draw(address: string): Promise<Buffer> {
    const image = siteImages[address]
    if (!image) throw new Problem('not_found', 'There is no picture at this address.')
    const { logo } = church()
    const { width, height } = image
    const opaque = !address.startsWith('/icons/')
    return pngOfDrawing(image.draw(logo ? await dataAddress(logo) : undefined), { width, height, opaque })
  }

  /** Undefined if the file is missing: the site is drawn as one without a logo. */
  async function dataAddress(logo: string): Promise<string | undefined> {
    await using file = await storage.open('images', logo.slice('/images/'.length))
    return file && `data:image/png;base64,${(await readPart(file, 0, file.bytes)).toString('base64')}`
  }
}

/** `/icons/…` and `/artwork/…`: icons, and the pictures of feeds and of shared links. */
export function siteImageRoute(context: Context, imageOf: SiteImageOf): RawRoute {
  const failureHeaders = openHeaders(context.config)
  const headers = Object.entries({ ...failureHeaders, 'cache-control': 'no-cache' }).flat()
  return rawRoute(context, {
    matches: (_, pathname) => Object.hasOwn(siteImages, pathname),
    failureHeaders,
    send: (request, response, pathname) =>
      sendBody(request, response, {
        headers,
        type: 'image/png',
        tag: createHash('sha256').update(`${pathname} ${lookVersion()}`).digest('base64url').slice(0, 27),
        codings: [],
        encode: () => imageOf(pathname),
      }),
  })
}
