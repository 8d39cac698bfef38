import { joined, latin } from '@fellowship/sound/read/bytes'
import { box, boxesIn } from '@fellowship/sound/read/mp4-boxes'
import { fixture } from '@fellowship/api/testing/multipart'

/** Boxes with others in them that have the tables of a track. */
const parents = ['moov', 'trak', 'mdia', 'minf', 'stbl']

interface Crafted {
  /** The sound of the file, of the frames of a good one. */
  sound: (frames: readonly Uint8Array[]) => Uint8Array
  /** The tables of each track by name, as words of 32 bits. `offset` is the place of the sound. */
  tables: (offset: number, frameBytes: number) => Record<string, number[]>
  tracks?: number
}

/** @param seed files of two seeds differ */
async function craftedM4a(seed: number, { sound, tables, tracks = 1 }: Crafted): Promise<Buffer> {
  const file = new Uint8Array(await fixture('faststart.m4a'))
  const top = boxesIn(file, 0, file.length)!
  const contentOf = (name: string) => {
    const { from, to } = top.find((each) => each.name === name)!
    return file.subarray(from, to)
  }
  const start = box('ftyp', contentOf('ftyp'))
  const moov = top.find(({ name }) => name === 'moov')!
  const frames = framesOf(file, moov, contentOf('mdat'))
  const bytes = sound(frames)
  const given = tables(start.length + 8, middle(frames).length)
  const rebuilt = (name: string, from: number, to: number): Uint8Array[] => {
    if (given[name]) return [box(name, bigEndian(given[name]))]
    if (!parents.includes(name)) return [box(name, file.slice(from, to))]
    const inside = boxesIn(file, from, to)!.filter(
      (each) => !['udta', 'edts', 'sgpd', 'sbgp'].includes(each.name),
    )
    const whole = box(name, ...inside.flatMap((each) => rebuilt(each.name, each.from, each.to)))
    return name === 'trak' ? Array<Uint8Array>(tracks).fill(whole) : [whole]
  }
  const index = rebuilt('moov', moov.from, moov.to)
  return Buffer.from(joined([start, box('mdat', bytes), ...index, box('free', latin(`seed ${seed}`))]))
}

/** An M4A of several hours whose frames are the same bytes: its index has five megabytes. */
export const largeIndex = (seed: number, frames = 600_000): Promise<Buffer> =>
  craftedM4a(seed, {
    sound: (all) => joined([...all]).slice(0, 200),
    tables: (offset) => ({
      stts: [0, 1, frames, 1024],
      stsz: [0, 0, frames, ...Array<number>(frames).fill(200)],
      stsc: [0, 1, 1, 1, 1],
      stco: [0, frames, ...Array<number>(frames).fill(offset)],
    }),
  })

/** An M4A of 25 kB with 20 tracks, each of five million frames by its index, for which a decoder reserves memory. */
export const manyTracks = (seed: number, frames = 5_000_000): Promise<Buffer> =>
  craftedM4a(seed, {
    sound: (all) => joined([...all]),
    tables: (offset) => ({
      stts: [0, 1, frames, 1024],
      stsz: [0, 1, frames],
      stsc: [0, 1, 1, frames, 1],
      stco: [0, 1, offset],
    }),
    tracks: 20,
  })

/** An M4A of a few hundred kB whose index repeats a good frame for 129 hours. */
export const repeatedFrame = (seed: number, { inFile = 1_000, chunks = 20_000 } = {}): Promise<Buffer> =>
  craftedM4a(seed, {
    sound: (all) => joined(Array<Uint8Array>(inFile).fill(middle(all))),
    tables: (offset, frameBytes) => ({
      stts: [0, 1, inFile * chunks, 1024],
      stsz: [0, frameBytes, inFile * chunks],
      stsc: [0, 1, 1, inFile, 1],
      stco: [0, chunks, ...Array<number>(chunks).fill(offset)],
    }),
  })

const middle = (frames: readonly Uint8Array[]) => frames[frames.length >> 1]!

/** The frames of a file of one track, which follow each other. */
function framesOf(file: Uint8Array, moov: { from: number; to: number }, sound: Uint8Array): Uint8Array[] {
  let inside = moov
  for (const name of [...parents.slice(1), 'stsz'])
    inside = boxesIn(file, inside.from, inside.to)!.find((each) => each.name === name)!
  const table = new DataView(file.buffer, file.byteOffset + inside.from, inside.to - inside.from)
  let at = 0
  return Array.from({ length: table.getUint32(8) }, (_, frame) => {
    const bytes = table.getUint32(4) || table.getUint32(12 + frame * 4)
    return sound.subarray(at, (at += bytes))
  })
}

function bigEndian(values: readonly number[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(values.length * 4))
  for (const [at, value] of values.entries()) bytes.setUint32(at * 4, value)
  return new Uint8Array(bytes.buffer)
}
