import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ContentCoding } from '../../http/content-coding.ts'

/** A document as it is sent. */
interface Wanted {
  /** Distinguishes it from others. */
  readonly name: string
  /** If the revision changes, all copies are dropped. */
  readonly key: string
  /** gzip, or undefined for none. */
  readonly coding: ContentCoding | undefined
  plain: () => Buffer
}

/**
 * Makes each document once for a coding, and compresses it once.
 *
 * @param most number of cached copies; the least recently used is dropped
 */
export function keptCopies(most: number) {
  const copies = new Map<string, { key: string; made: Promise<Buffer> }>()
  return ({ name, key, coding, plain }: Wanted): Promise<Buffer> => {
    const place = `${coding ?? 'plain'} ${name}`
    const known = copies.get(place)
    const copy = known?.key === key ? known : { key, made: make(coding, plain) }
    copies.delete(place)
    copies.set(place, copy)
    if (copies.size > most) copies.delete(copies.keys().next().value!)
    if (copy !== known) copy.made.catch(() => copies.get(place) === copy && copies.delete(place))
    return copy.made
  }
}

async function make(coding: ContentCoding | undefined, plain: () => Buffer): Promise<Buffer> {
  return coding === undefined ? plain() : promisify(gzip)(plain())
}
