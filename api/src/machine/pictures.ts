import { open } from 'node:fs/promises'
import sharp from 'sharp'

/** The format of a picture, from its first bytes. */
export type PictureKind = 'jpeg' | 'png' | 'webp'

/** A picture that is refused: damaged, or with too many pixels. */
export class PictureRefused extends Error {
  override readonly name = 'PictureRefused'
  readonly why: 'damaged' | 'too many pixels'
  constructor(why: 'damaged' | 'too many pixels', cause: unknown) {
    super(`The picture is refused: ${why}`, { cause })
    this.why = why
  }
}

/** Fits a phone's largest photograph, and bounds the memory of decoding. */
const maxPixels = 50_000_000
const quality = 80

// No cache between pictures; decoders of formats that are not accepted are blocked, whatever bytes arrive.
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
 * Converts a picture to WebP, upright, once for each width in pixels; a smaller original is not enlarged. Metadata such as
 * place, camera and time is removed.
 *
 * @throws PictureRefused
 */
export async function webpSizes(file: string, widths: readonly number[]): Promise<Buffer[]> {
  const sizes: Buffer[] = []
  // In sequence, so that the memory of one conversion bounds all.
  for (const width of widths) sizes.push(await webpOf(file, width))
  return sizes
}

async function webpOf(file: string, width: number): Promise<Buffer> {
  try {
    return await sharp(file, { failOn: 'error', limitInputPixels: maxPixels, sequentialRead: true })
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

/** Greatest height in widths; taller pictures are scaled down further. */
const tallest = 3

/** Format, size in pixels and colour space ('srgb') of a picture. Undefined for other bytes. */
export async function pictureFacts(
  bytes: Uint8Array,
): Promise<{ kind: string; width: number; height: number; colours: string } | undefined> {
  try {
    const { format, width, height, space } = await sharp(bytes, { limitInputPixels: maxPixels }).metadata()
    return { kind: format, width, height, colours: space }
  } catch {
    return undefined
  }
}
