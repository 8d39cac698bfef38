import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parseBlob } from 'music-metadata'
import { createEncoder } from 'wasm-media-encoders'
import { beforeAll, expect, test } from 'vitest'
import { blobBytes } from '../read/bytes.ts'
import { findWavSound } from '../read/wav.ts'
import { encodeWav, smallerBytes, type Mp3Encoder } from './encode-mp3.ts'

let encoder: Mp3Encoder
beforeAll(async () => {
  const file = createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3')
  encoder = await createEncoder('audio/mpeg', await readFile(file))
})

test.each([
  ['a page', new TextEncoder().encode('<!doctype html>'.repeat(99))],
  ['nothing', new Uint8Array()],
  ['a head without sound', wav({ frames: 0 }).subarray(0, 36)],
  ['sound before its format', wav({ order: 'data first' })],
  ['an unknown format', wav({ tag: 99 })],
  ['a chunk longer than the file', wav({ junk: 0xffff_0000 })],
])('reads no sound from %s', async (_, bytes) => {
  expect(await findWavSound(blobBytes(new Blob([bytes])))).toBeUndefined()
})

test.each([
  ['one channel of 16 bits', { channels: 1 }],
  ['two channels of 24 bits', { bits: 24 }],
  ['more samples than MP3 has', { rate: 96_000 }],
  ['six channels', { channels: 6 }],
  ['float, behind another chunk of odd length', { tag: 3, bits: 32, junk: 7 }],
] as const)('makes an MP3 as long as the recording: %s', async (_, shape) => {
  const rate = 'rate' in shape ? shape.rate : 44_100
  const recording = blobBytes(new Blob([wav({ ...shape, frames: 3 * rate })]))
  const found = (await findWavSound(recording))!
  expect(found.seconds).toBe(3)
  const shares: number[] = []
  const made = new Blob(await encodeWav(recording, found, encoder, (share) => shares.push(share)))
  expect(shares.at(-1)).toBe(1)
  expect(Math.abs(made.size - smallerBytes(found))).toBeLessThan(2_000)
  const { format } = await parseBlob(made, { duration: true })
  expect(format).toMatchObject({ container: 'MPEG', numberOfChannels: found.format.channels === 1 ? 1 : 2 })
  expect(format.sampleRate).toBeLessThanOrEqual(48_000)
  // All of the sound: the last frame is filled up.
  expect(format.duration!).toBeGreaterThanOrEqual(3)
  expect(format.duration!).toBeLessThan(3.12)
})

test('reads the remaining sound of a truncated file', async () => {
  const whole = wav({ frames: 44_100 })
  const found = (await findWavSound(blobBytes(new Blob([whole.subarray(0, 44 + 22_050 * 4 + 3)]))))!
  expect(found.seconds).toBe(0.5)
})

/** A WAV with a tone; `junk` is the length of a chunk before the sound. */
function wav({
  tag = 1,
  channels = 2,
  bits = 16,
  rate = 44_100,
  frames = 100,
  junk = 0,
  order = 'format first',
}: {
  tag?: number
  channels?: number
  bits?: number
  rate?: number
  frames?: number
  junk?: number
  order?: 'format first' | 'data first'
}): Uint8Array<ArrayBuffer> {
  const sample = bits / 8
  const format = Buffer.alloc(24)
  format.write('fmt ')
  format.writeUInt32LE(16, 4)
  format.writeUInt16LE(tag, 8)
  format.writeUInt16LE(channels, 10)
  format.writeUInt32LE(rate, 12)
  format.writeUInt32LE(rate * channels * sample, 16)
  format.writeUInt16LE(channels * sample, 20)
  format.writeUInt16LE(bits, 22)
  const other = Buffer.alloc(junk === 0 ? 0 : 8 + Math.min(junk, 64) + (junk % 2))
  if (junk > 0) {
    other.write('LIST')
    other.writeUInt32LE(junk, 4)
  }
  const data = Buffer.alloc(8 + frames * channels * sample)
  data.write('data')
  data.writeUInt32LE(data.length - 8, 4)
  for (let at = 0; at < frames * channels; at++) {
    const value = Math.sin((Math.floor(at / channels) * 2 * Math.PI * 440) / rate) / 2
    const place = 8 + at * sample
    if (tag === 3) data.writeFloatLE(value, place)
    else data.writeIntLE(Math.round(value * 2 ** (bits - 1)), place, sample)
  }
  const head = Buffer.from('RIFF....WAVE', 'latin1')
  const parts = order === 'data first' ? [head, data, format] : [head, format, other, data]
  return new Uint8Array(Buffer.concat(parts))
}
