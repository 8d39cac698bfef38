/*
 * The process that reads pictures, apart from the server: bytes that crash a decoder do not reach it. It has
 * the server's lowest priority, and is the first that the kernel ends when memory runs out.
 */
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import type { PictureAnswer, PictureJob } from './picture-job.ts'
import { lowerPriority } from '../lower-priority.ts'

/** Fits a phone's largest photograph, and bounds the memory of decoding. */
const maxPixels = 50_000_000
const quality = 80
/** Greatest height in widths; taller pictures are scaled down further. */
const tallest = 3
/** Twice the memory of the largest photograph of a phone, decoded as a whole. */
const maxBytes = 512e6
const memoryCheckMs = 20

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

lowerPriority(10)
offerToKernel()
// A killed process gives its memory back at once; process.exit() would wait for the decoder. The timer does not keep
// the process alive if its server ended before it listened.
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL')
}, memoryCheckMs).unref()
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (job: PictureJob) => {
  void answer(job).then((message) => process.connected && process.send!(message))
})

/** Linux only: see proc(5). */
function offerToKernel(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Another system, or no /proc.
  }
}

async function answer(job: PictureJob): Promise<PictureAnswer> {
  try {
    if (job.task === 'webp') return { sizes: await sizesOf(job) }
    if (job.task === 'cover') return { cover: await coverOf(job) }
    if (job.task === 'drawing') return { png: await pngOf(job) }
    if (job.task === 'clean') return { clean: await cleanOf(job) }
    if (job.task === 'logo') return { png: await logoOf(job) }
    return { facts: await factsOf(job.bytes) }
  } catch (error) {
    const { message } = error as Error
    const tooMany = /pixel limit|dimensions|too large/i.test(message)
    return { refused: tooMany ? 'too many pixels' : 'damaged', message }
  }
}

async function sizesOf({ file, widths }: Extract<PictureJob, { task: 'webp' }>): Promise<Buffer[]> {
  const sizes: Buffer[] = []
  // In sequence, so that the memory of one conversion bounds all.
  for (const width of widths) sizes.push(await webpOf(file, width))
  return sizes
}

const opened = (file: string) =>
  sharp(file, { failOn: 'error', limitInputPixels: maxPixels, sequentialRead: true }).autoOrient()

/** Directories take no transparency, and no smaller square. */
const coverOf = ({ file, width, height }: Extract<PictureJob, { task: 'cover' }>): Promise<Buffer> =>
  opened(file)
    .resize({ width, height, fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality })
    .toBuffer()

const webpOf = (file: string, width: number): Promise<Buffer> =>
  opened(file)
    .resize({ width, height: width * tallest, fit: 'inside', withoutEnlargement: true })
    .webp({ quality })
    .toBuffer()

/** Quality of a picture that is encoded again: handouts have small print. */
const fineQuality = 90

/** Null if there is no metadata to leave out; a smaller size is enough to find damage. */
async function cleanOf({ file }: Extract<PictureJob, { task: 'clean' }>): Promise<Buffer | null> {
  const { format, exif, xmp, iptc } = await opened(file).metadata()
  if (exif ?? xmp ?? iptc) {
    const options = format === 'png' ? { compressionLevel: 9 } : { quality: fineQuality }
    return opened(file).toFormat(format, options).toBuffer()
  }
  await opened(file).resize({ width: 64, withoutEnlargement: true }).raw().toBuffer()
  return null
}

/** The drawing is this product's own. */
const pngOf = ({ svg, width, height, opaque }: Extract<PictureJob, { task: 'drawing' }>): Promise<Buffer> =>
  withDrawings(() => {
    const drawn = sharp(Buffer.from(svg)).resize(width, height)
    return (opaque ? drawn.flatten() : drawn).png().toBuffer()
  })

/** The longer side of a logo, in pixels. */
const logoSide = 1024

/** A drawing is rendered at the size of its result, so that its edges are sharp. */
function logoOf({ file, kind }: Extract<PictureJob, { task: 'logo' }>): Promise<Buffer> {
  const fit = (picture: Sharp) =>
    picture
      .resize({ width: logoSide, height: logoSide, fit: 'inside', withoutEnlargement: kind === 'png' })
      .png({ compressionLevel: 9 })
      .toBuffer()
  if (kind === 'png') return fit(opened(file))
  return withDrawings(async () => {
    const svg = await readFile(file)
    const { width, height } = await sharp(svg).metadata()
    const density = Math.min(2_400, Math.max(1, (72 * logoSide) / Math.max(width, height)))
    return fit(sharp(svg, { density, limitInputPixels: maxPixels }))
  })
}

/** The decoder of drawings is open for these alone, as a process has one job at a time. */
async function withDrawings<T>(work: () => Promise<T>): Promise<T> {
  const decoder = { operation: ['VipsForeignLoadSvgBuffer'] }
  sharp.unblock(decoder)
  try {
    return await work()
  } finally {
    sharp.block(decoder)
  }
}

async function factsOf(bytes: Uint8Array) {
  const { format, width, height, space } = await sharp(bytes, { limitInputPixels: maxPixels }).metadata()
  return { kind: format, width, height, colours: space }
}
