import { boxesIn, type Box } from './mp4-boxes.ts'
import { viewOf } from './tag-bytes.ts'

/** Bytes of a file, `to` excluded. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

interface Move {
  readonly at: number
  readonly sound: readonly Stretch[]
  readonly by: number
}

/** Moves the places of sound behind the index; false where a place is not where sound is, or cannot be said. */
export function movePlaces(index: Uint8Array, move: Move): boolean {
  const tracks = boxesIn(index, 8, index.length)!.filter(({ name }) => name === 'trak')
  return tracks.length > 0 && tracks.every((track) => movedTrack(index, track, move))
}

function movedTrack(index: Uint8Array, track: Box, move: Move): boolean {
  const tables = ['mdia', 'minf', 'stbl'].reduce<Box | undefined>(
    (inside, name) => inside && boxesIn(index, inside.from, inside.to)?.find((each) => each.name === name),
    track,
  )
  const boxes = tables && boxesIn(index, tables.from, tables.to)
  // Places of another kind: those of encrypted sound.
  if (!boxes || boxes.some(({ name }) => name === 'saio')) return false
  const places = boxes.filter(({ name }) => name === 'stco' || name === 'co64')
  return places.length === 1 && movedPlaces(index, places[0]!, move)
}

function movedPlaces(index: Uint8Array, { name, from, to }: Box, { at, sound, by }: Move): boolean {
  const bytes = name === 'stco' ? 4 : 8
  if (to - from < 8) return false
  const view = viewOf(index.subarray(from, to))
  const end = 8 + view.getUint32(4) * bytes
  if (end > view.byteLength) return false
  for (let place = 8; place < end; place += bytes) {
    const old = bytes === 4 ? view.getUint32(place) : Number(view.getBigUint64(place))
    if (!sound.some((stretch) => old >= stretch.from && old < stretch.to)) return false
    const value = old > at ? old + by : old
    if (bytes === 8) view.setBigUint64(place, BigInt(value))
    else if (value > 0xffff_ffff) return false
    else view.setUint32(place, value)
  }
  return true
}
