import { box, boxesIn, type Box } from './mp4-boxes.ts'
import { latin, latinText } from './tag-bytes.ts'
import { movePlaces, type Stretch } from './mp4-moves.ts'

/** The index of an MP4 (`moov`), to which tags are given. */
export interface IndexJob {
  readonly index: Uint8Array
  /** Where it lies in the file. */
  readonly at: number
  /** Where the boxes with sound (`mdat`) lie, content and all. */
  readonly sound: readonly Stretch[]
  /** The tags, as the items of an `ilst`. */
  readonly items: Uint8Array
}

/**
 * An index with other tags. Where that moves the sound behind it, its places of the sound are moved along.
 *
 * @returns undefined where it is not built as it should be: none of its places may be left wrong
 */
export function taggedIndex({ index, at, sound, items }: IndexJob): Uint8Array<ArrayBuffer> | undefined {
  const [whole, ...others] = boxesIn(index, 0, index.length) ?? []
  const boxes = whole && others.length === 0 ? boxesIn(index, whole.from, whole.to) : undefined
  if (!boxes || boxes.some(({ name }) => immovable.includes(name))) return undefined
  const parts: Uint8Array[] = []
  const notes: Uint8Array[] = []
  const own: Uint8Array[] = []
  for (const each of boxes) {
    if (each.name === 'udta') {
      const found = notesOf(index, each)
      if (!found) return undefined
      notes.push(...found.notes)
      own.push(...found.items)
    } else if (each.name !== 'meta') parts.push(bytesOf(index, each))
    // Tags of QuickTime's kind; another `meta` refers to bytes of the file.
    else if (handlerOf(index, each) !== 'mdta') return undefined
  }
  const list = box('ilst', ...own, items)
  const made = box('moov', ...parts, box('udta', ...notes, box('meta', new Uint8Array(4), handler, list)))
  return movePlaces(made, { at, sound, by: made.length - index.length }) ? made : undefined
}

/** What says that parts of the recording are elsewhere, or packed. */
const immovable = ['mvex', 'cmov', 'iloc']

/** Of a handler that reads lists of tags as iTunes writes them. */
const handler = box('hdlr', new Uint8Array(8), latin('mdirappl'), new Uint8Array(9))

/** What an index says beside tags, and items of its list that are about the sound: the player's gaps, the encoder. */
function notesOf(index: Uint8Array, udta: Box): { notes: Uint8Array[]; items: Uint8Array[] } | undefined {
  const boxes = boxesIn(index, udta.from, udta.to)
  if (!boxes) return undefined
  const items: Uint8Array[] = []
  for (const meta of boxes.filter(({ name }) => name === 'meta')) {
    const parts = metaBoxes(index, meta)
    if (!parts) return undefined
    for (const list of parts.filter(({ name }) => name === 'ilst')) {
      const found = boxesIn(index, list.from, list.to)
      if (!found) return undefined
      items.push(...found.filter(({ name }) => kept.includes(name)).map((item) => bytesOf(index, item)))
    }
  }
  const notes = boxes.filter(({ name }) => name !== 'meta' && !isTag(name))
  return { notes: notes.map((note) => bytesOf(index, note)), items }
}

const kept = ['----', '©too']

/** Texts of QuickTime and of phones. */
const isTag = (name: string) =>
  name.startsWith('©') || ['titl', 'auth', 'perf', 'albm', 'yrrc', 'gnre', 'dscp'].includes(name)

/** QuickTime's has no version before its boxes. */
function metaBoxes(index: Uint8Array, { from, to }: Box): Box[] | undefined {
  const isQuickTime = latinText(index.subarray(from + 4, from + 8)) === 'hdlr'
  return boxesIn(index, isQuickTime ? from : from + 4, to)
}

function handlerOf(index: Uint8Array, meta: Box): string | undefined {
  const found = metaBoxes(index, meta)?.find(({ name }) => name === 'hdlr')
  return found && latinText(index.subarray(found.from + 8, found.from + 12))
}

const bytesOf = (index: Uint8Array, { at, to }: Box): Uint8Array => index.subarray(at, to)
