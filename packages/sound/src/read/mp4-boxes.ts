import { joined, latin, latinText, viewOf } from './bytes.ts'

/** A box of an MP4 file (ISO/IEC 14496-12 4.2). */
export interface Box {
  readonly name: string
  /** Positions of its head, of its content and of its end. */
  readonly at: number
  readonly from: number
  readonly to: number
}

/** Bytes to read of a head; most heads have eight. */
export const boxHeadBytes = 16

/**
 * The box with this head; undefined if its length is not plausible.
 *
 * @param head the bytes from `at` on
 * @param end the end of the enclosing box or file
 */
export function boxAt(at: number, head: Uint8Array, end: number): Box | undefined {
  if (head.length < 8) return undefined
  const view = viewOf(head)
  const size = view.getUint32(0)
  const name = latinText(head.subarray(4, 8))
  if (size === 0) return { name, at, from: at + 8, to: end }
  if (size !== 1) return size >= 8 && at + size <= end ? { name, at, from: at + 8, to: at + size } : undefined
  const large = head.length >= boxHeadBytes ? Number(view.getBigUint64(8)) : 0
  return large >= boxHeadBytes && at + large <= end
    ? { name, at, from: at + boxHeadBytes, to: at + large }
    : undefined
}

/** The boxes in a part of an index; undefined if they do not fill it. QuickTime ends lists with zeros, which are skipped. */
export function boxesIn(bytes: Uint8Array, from: number, to: number): Box[] | undefined {
  const boxes: Box[] = []
  for (let at = from; at < to;) {
    const rest = bytes.subarray(at, Math.min(to, at + boxHeadBytes))
    if (to - at < 8) return rest.every((byte) => byte === 0) ? boxes : undefined
    const box = boxAt(at, rest, to)
    if (!box || boxes.length === mostBoxes) return undefined
    boxes.push(box)
    at = box.to
  }
  return boxes
}

/** Limit within one box: a recording has a few, an audio book with pictures some hundred. */
const mostBoxes = 10_000

/** A box of less than 4 GB. */
export function box(name: string, ...content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = joined([new Uint8Array(4), latin(name), ...content])
  viewOf(whole).setUint32(0, whole.length)
  return whole
}
