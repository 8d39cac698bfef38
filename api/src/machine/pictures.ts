import { open } from 'node:fs/promises'
import sharp from 'sharp'

/** What a picture is, told from its first bytes. */
export type PictureKind = 'jpeg' | 'png' | 'webp'

/** A picture that cannot be taken: damaged, or far too many pixels for its own good. */
export class PictureRefused extends Error {
  override readonly name = 'PictureRefused'
  readonly why: 'damaged' | 'too many pixels'
  constructor(why: 'damaged' | 'too many pixels', cause: unknown) {
    super(`The picture is refused: ${why}`, { cause })
    this.why = why
  }
}

/** A phone's largest photograph, decoded in bounded memory. */
const mostPixels = 50_000_000
const quality = 80

// Nothing is kept between pictures, and decoders of formats we never take cannot be reached by any bytes.
sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
  ],
})

/** JPEG, PNG or WebP by the first bytes; undefined for anything else, whatever its name says. */
export async function pictureKind(file: string): Promise<PictureKind | undefined> {
  const handle = await open(file, 'r')
  try {
    const head = Buffer.alloc(12)
    const { bytesRead } = await handle.read(head, 0, 12, 0)
    const text = head.subarray(0, bytesRead).toString('latin1')
    if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
    if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
    return text.startsWith('RIFF') && text.slice(8) === 'WEBP' ? 'webp' : undefined
  } finally {
    await handle.close()
  }
}

/**
 * The picture upright, as WebP, once for each width in pixels; a smaller original keeps its own. Nothing but the
 * pixels stays: no place, no camera, no time.
 *
 * @throws PictureRefused
 */
export async function webpSizes(file: string, widths: readonly number[]): Promise<Buffer[]> {
  const sizes: Buffer[] = []
  // One after another: what one costs in memory is what all cost.
  for (const width of widths) sizes.push(await webpOf(file, width))
  return sizes
}

async function webpOf(file: string, width: number): Promise<Buffer> {
  try {
    return await sharp(file, { failOn: 'error', limitInputPixels: mostPixels, sequentialRead: true })
      .autoOrient()
      .resize({ width, height: width * tallest, fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .timeout({ seconds: 20 })
      .toBuffer()
  } catch (error) {
    const tooMany = /pixel limit|dimensions|too large/i.test(String((error as Error).message))
    throw new PictureRefused(tooMany ? 'too many pixels' : 'damaged', error)
  }
}

/** A picture three times as tall as wide is no portrait any more; taller ones are made smaller. */
const tallest = 3

/** What the head of a picture says: its format, its pixels and its colour space ('srgb'). Undefined for other bytes. */
export async function pictureFacts(
  bytes: Uint8Array,
): Promise<{ kind: string; width: number; height: number; colours: string } | undefined> {
  try {
    const { format, width, height, space } = await sharp(bytes, { limitInputPixels: mostPixels }).metadata()
    return { kind: format, width, height, colours: space }
  } catch {
    return undefined
  }
}
