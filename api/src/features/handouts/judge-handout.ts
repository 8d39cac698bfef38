import { readFile } from 'node:fs/promises'
import { handoutLimits as limits, type HandoutType } from '@fellowship/schema/handouts/handouts.limits'
import { handoutTexts as texts } from '@fellowship/schema/handouts/handouts.texts'
import { Problem } from '@fellowship/schema/problem'
import { pictureKind, PictureRefused, pictureWithoutMetadata } from '../../machine/picture/pictures.ts'

/** A file that is accepted as a handout, with the bytes to store. */
interface JudgedHandout {
  readonly type: HandoutType
  readonly bytes: Buffer
}

/**
 * Judges a received file by its content. A PDF and a picture without metadata are stored as they arrived. A picture with
 * metadata is encoded again without it: phones write their position there.
 *
 * @param gone aborted when the caller disconnects
 * @throws Problem `unsupported_media`, `invalid_input`, `too_large`; JobStopped once `gone`
 */
export async function judgeHandout(file: string, gone?: AbortSignal): Promise<JudgedHandout> {
  const kind = await pictureKind(file)
  if (kind === undefined) {
    const bytes = await readFile(file)
    const fault = pdfFault(bytes)
    if (fault === 'type') throw new Problem('unsupported_media', texts.wrongType)
    if (fault) throw new Problem('invalid_input', texts[fault])
    return { type: 'pdf', bytes }
  }
  const clean = await pictureWithoutMetadata(file, gone).catch(refuse)
  const bytes = clean ?? (await readFile(file))
  if (bytes.length > limits.bytes) throw new Problem('too_large', texts.tooLarge)
  return { type: kind === 'jpeg' ? 'jpg' : kind, bytes }
}

/** Bytes at the end of a PDF in which readers look for its end. */
const tail = 1024

/** Why these bytes are refused as a PDF; undefined if they are accepted. */
export function pdfFault(bytes: Buffer): 'type' | 'cutShort' | 'protected' | undefined {
  if (!/^%PDF-[12]\.\d/.test(bytes.subarray(0, 8).toString('latin1'))) return 'type'
  const end = bytes.subarray(-tail).toString('latin1')
  if (!/startxref\s+\d+\s+%%EOF/.test(end)) return 'cutShort'
  // A trailer is never compressed, and neither is the dictionary of a stream in its place.
  return /\/Encrypt\s*(?:<<|\d+\s+\d+\s+R)/.test(bytes.toString('latin1')) ? 'protected' : undefined
}

function refuse(error: unknown): never {
  if (!(error instanceof PictureRefused)) throw error
  throw new Problem('invalid_input', error.why === 'damaged' ? texts.damagedPicture : texts.tooManyPixels)
}
