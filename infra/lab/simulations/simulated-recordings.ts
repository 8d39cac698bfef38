import { chunkBytes } from '@fellowship/sync/client/database/stored-files'
import { seededRandom, type Random } from '@fellowship/sync/testing/random'
import { sha256Of } from './site-server.ts'

type Recording = Uint8Array<ArrayBuffer>

/** Recordings: their bytes differ, some take several requests, one more than a stored chunk. */
export const recordings = [1_000, 2_000, 3_000, 4_000, 300_000, chunkBytes + 300_000].map((size, at) => {
  const bytes = new Uint8Array(size)
  const random = seededRandom(at)
  for (let offset = 0; offset < size; offset += 97) bytes[offset] = random.int(256)
  return bytes
})
/** Large ones are rare: they take longer than all others together. */
export const pickRecording = (random: Random, from: readonly Recording[]) => {
  const small = from.filter(({ length }) => length < 100_000)
  return random.pick(small.length > 0 && random.chance(0.9) ? small : from)
}

/** By their hash, in hexadecimal digits. */
export const recordingsBySha256 = new Map(recordings.map((bytes) => [sha256Of(bytes), Buffer.from(bytes)]))

/** A file that a person chooses. */
export const fileOf = (bytes: Uint8Array<ArrayBuffer>) => ({
  name: 'a.mp3',
  size: bytes.length,
  slice: (from: number, to: number) =>
    ({ arrayBuffer: () => Promise.resolve(bytes.slice(from, to).buffer) }) as unknown as Blob,
})

/** Moved or deleted since it was chosen. */
export const unreadable = {
  name: 'a.mp3',
  size: 1_000,
  slice: () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) as unknown as Blob,
}

/** Whether chunks are the recording with this hash. */
export function areWhole(chunks: readonly { data: ArrayBuffer }[], sha256: string): boolean {
  const bytes = recordingsBySha256.get(sha256)
  return bytes?.equals(Buffer.concat(chunks.map(({ data }) => new Uint8Array(data)))) === true
}
