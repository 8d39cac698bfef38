import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { measureSound } from '../measure/measure-sound.ts'
import { UnreadableSound } from './pcm.ts'
import { expect, test } from 'vitest'
import { blobBytes } from './bytes.ts'
import { recordingSamples } from './samples.ts'

const fixture = (name: string) =>
  readFile(path.join(import.meta.dirname, '../../../../infra/dev/fixtures', name))
const measured = (bytes: Uint8Array<ArrayBuffer>, onShare: (share: number) => void = () => {}) =>
  measureSound(recordingSamples(blobBytes(new Blob([bytes])), onShare))

/** Two channels of 16 bits. */
function wav(seconds: number, level: (second: number) => readonly [left: number, right: number]) {
  const rate = 8_000
  const file = Buffer.alloc(44 + seconds * rate * 4)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(2, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 4, 28)
  file.writeUInt16LE(4, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(file.length - 44, 40)
  for (let at = 0; at < seconds * rate; at++) {
    const sample = Math.sin((2 * Math.PI * 330 * at) / rate)
    for (const [side, share] of level(at / rate).entries())
      file.writeInt16LE(Math.round(sample * share * 32_000), 44 + at * 4 + side * 2)
  }
  return new Uint8Array(file)
}

test.each([
  ['nothing', new Uint8Array(0)],
  ['a page', new Uint8Array(Buffer.from('<!doctype html>'.repeat(99)))],
  ['zeros', new Uint8Array(50_000)],
  ['a tag without sound', new Uint8Array(Buffer.from('ID3\x04\0\0\0\0\0\x0a'.padEnd(400, '\0'), 'latin1'))],
])('rejects %s', async (_, bytes) => {
  await expect(measured(bytes)).rejects.toThrow(UnreadableSound)
})

test('rejects an M4A', async () => {
  await expect(measured(new Uint8Array(await fixture('faststart.m4a')))).rejects.toThrow(UnreadableSound)
})

type Level = Parameters<typeof wav>[1]

test.each<readonly [string, Level, readonly string[]]>([
  ['as it should be', () => [0.3, 0.3], []],
  ['very quiet', () => [0.002, 0.002], ['very_quiet']],
  ['on the left alone', () => [0.3, 0], ['right_silent']],
  ['on the right alone', () => [0, 0.3], ['left_silent']],
  ['silent', () => [0, 0], ['no_sound']],
  ['late', (second) => (second < 12 ? [0, 0] : [0.3, 0.3]), ['silent_start']],
  ['over early', (second) => (second > 8 ? [0, 0] : [0.3, 0.3]), ['silent_end']],
])('a WAV that is %s', async (_, level, faults) => {
  const shares: number[] = []
  const { faults: found, seconds } = await measured(wav(20, level), (share) => shares.push(share))
  expect([found, seconds]).toEqual([faults, 20])
  expect([shares.at(-1), shares.toSorted((a, b) => a - b)]).toEqual([1, shares])
})

test.each(['cbr.mp3', 'vbr-xing.mp3', 'vbr-noxing.mp3'])('reads %s as one channel', async (name) => {
  const { seconds, channels, loudness } = await measured(new Uint8Array(await fixture(name)))
  expect([seconds > 1, channels, loudness! > -40]).toEqual([true, 1, true])
})
