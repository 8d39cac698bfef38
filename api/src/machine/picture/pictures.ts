import { open } from 'node:fs/promises'
import { helperProgram, helperWorker } from '../process/helper-worker.ts'
import { JobStopped, workerPool, type WorkerPool } from '../worker-pool.ts'
import type { PictureAnswer, PictureFacts, PictureJob } from './picture-job.ts'

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

/** JPEG, PNG or WebP by the first bytes; undefined for anything else, whatever its name. */
export async function pictureKind(file: string): Promise<PictureKind | undefined> {
  await using handle = await open(file, 'r')
  const head = Buffer.alloc(12)
  const { bytesRead } = await handle.read(head, 0, 12, 0)
  const text = head.subarray(0, bytesRead).toString('latin1')
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  return text.startsWith('RIFF') && text.slice(8) === 'WEBP' ? 'webp' : undefined
}

/**
 * Converts a picture to WebP, upright, once for each width in pixels; a smaller original is not enlarged. Metadata such as
 * place, camera and time is removed.
 *
 * @param gone aborted when the caller has left: ends the conversion
 * @throws PictureRefused; JobStopped once `gone`
 */
export async function webpSizes(
  file: string,
  widths: readonly number[],
  gone?: AbortSignal,
): Promise<Buffer[]> {
  const answer = await ask({ task: 'webp', file, widths }, gone)
  return 'sizes' in answer ? answer.sizes.map((bytes) => Buffer.from(bytes)) : refuse(answer)
}

/**
 * Converts a picture to a JPEG of this size in pixels, upright, without metadata: cut at its longer side, enlarged if it is
 * smaller.
 *
 * @param gone aborted when the caller has left: ends the conversion
 * @throws PictureRefused; JobStopped once `gone`
 */
export async function coverOf(
  file: string,
  [width, height]: readonly [width: number, height: number],
  gone?: AbortSignal,
): Promise<Buffer> {
  const answer = await ask({ task: 'cover', file, width, height }, gone)
  return 'cover' in answer ? Buffer.from(answer.cover) : refuse(answer)
}

/** Renders a drawing of this product as a PNG of this size in pixels; opaque by default, as directories take no transparency. */
export async function pngOfDrawing(
  svg: string,
  { width, height, opaque = true }: { width: number; height: number; opaque?: boolean },
): Promise<Buffer> {
  const answer = await ask({ task: 'drawing', svg, width, height, opaque })
  return 'png' in answer ? Buffer.from(answer.png) : refuse(answer)
}

/**
 * Renders a logo as a PNG of at most 1024 pixels, without metadata. Of a drawing nothing but its looks remain.
 *
 * @param gone aborted when the caller has left: ends the conversion
 * @throws PictureRefused; JobStopped once `gone`
 */
export async function logoOf(file: string, kind: 'png' | 'svg', gone?: AbortSignal): Promise<Buffer> {
  const answer = await ask({ task: 'logo', file, kind }, gone)
  return 'png' in answer ? Buffer.from(answer.png) : refuse(answer)
}

/**
 * A picture in its own format, upright, without metadata; undefined if it has none. Decodes it in either case.
 *
 * @param gone aborted when the caller has left: ends the work
 * @throws PictureRefused; JobStopped once `gone`
 */
export async function pictureWithoutMetadata(file: string, gone?: AbortSignal): Promise<Buffer | undefined> {
  const answer = await ask({ task: 'clean', file }, gone)
  if (!('clean' in answer)) return refuse(answer)
  return answer.clean ? Buffer.from(answer.clean) : undefined
}

/** Format, size in pixels and colour space of a picture. Undefined for other bytes. */
export async function pictureFacts(bytes: Uint8Array): Promise<PictureFacts | undefined> {
  const answer = await ask({ task: 'facts', bytes })
  return 'facts' in answer ? answer.facts : undefined
}

/** Two photographs of the largest size at once; a phone's takes some seconds on a slow machine. */
const limits = { size: 2, seconds: 30, idleSeconds: 10 }

let pool: WorkerPool | undefined

async function ask(job: PictureJob, gone?: AbortSignal): Promise<PictureAnswer> {
  pool ??= workerPool(() => helperWorker(helperProgram(import.meta.dirname, 'picture-child')), limits)
  try {
    return (await pool.run(job, gone)) as PictureAnswer
  } catch (error) {
    if (!(error instanceof JobStopped) || error.reason === 'caller gone') throw error
    // One that takes too long or too much memory is as one with more pixels than its head declares.
    return { refused: 'too many pixels', message: error.message }
  }
}

function refuse(answer: PictureAnswer): never {
  if ('refused' in answer) throw new PictureRefused(answer.refused, new Error(answer.message))
  throw new Error('The process that reads pictures gave another answer than asked for.')
}
