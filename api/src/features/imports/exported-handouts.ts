import path from 'node:path'
import { type Handout, handoutName } from '@fellowship/schema/handouts/handout-file'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/** A handout in the folder of an export. */
interface WrittenHandout {
  /** Inside the folder, below a folder with the name of the recording. */
  readonly path: string
  /** Its own name. */
  readonly name: string
  readonly handout: Handout
}

/** By the uid of their teaching. */
export type WrittenHandouts = ReadonlyMap<string, readonly WrittenHandout[]>

/**
 * Chooses the files of all handouts. Names that are equal on some system are numbered.
 *
 * @param recordings paths of recordings by the uid of their teaching
 */
export function handoutsOf(
  teachings: readonly Pick<Teaching, 'uid' | 'handouts'>[],
  recordings: ReadonlyMap<string, string>,
): WrittenHandouts {
  const taken = new Set<string>()
  const written = new Map<string, WrittenHandout[]>()
  for (const { uid, handouts } of teachings) {
    if (!handouts) continue
    const folder = `handouts/${path.posix.parse(recordings.get(uid) ?? uid).name}`
    const all = handouts.map((handout) => {
      const name = handoutName(handout.name, handout.type)
      let file = `${folder}/${safeName(name)}`
      for (let number = 2; taken.has(file.toLowerCase()); number += 1)
        file = `${folder}/${safeName(name, `_${number}`)}`
      taken.add(file.toLowerCase())
      return { path: file, name, handout }
    })
    written.set(uid, all)
  }
  return written
}

/** Bytes of the longest name that every file system takes, with room for its number and its extension. */
const longest = 240

/** A name that Windows takes as well: it keeps some for devices. */
function safeName(name: string, number = ''): string {
  const { name: given, ext } = path.posix.parse(name)
  const letters = Array.from(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(given) ? `_${given}` : given)
  while (Buffer.byteLength(letters.join('')) > longest) letters.pop()
  return `${letters.join('')}${number}${ext}`
}
