import { expect, test } from 'vitest'
import { joined, latin, latinText, viewOf } from '../read/bytes.ts'
import { taggedParts } from './tags.ts'

const teaching = { title: 'Hope', speaker: 'Jane', date: '2026-11-22', scriptureReference: 'Romans 8' }

function little(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  viewOf(bytes).setUint32(0, value, true)
  return bytes
}
const chunk = (name: string, content: Uint8Array, size = content.length) =>
  joined([latin(name), little(size), content])
const format = chunk('fmt ', new Uint8Array(16))
const sound = (bytes: number) => new Uint8Array(bytes).fill(7)
const wav = (...chunks: Uint8Array[]) => {
  const content = joined(chunks)
  return joined([latin('RIFF'), little(4 + content.length), latin('WAVE'), content])
}

async function tagged(file: Uint8Array): Promise<Uint8Array | undefined> {
  const read = (from: number, length: number) => Promise.resolve(file.subarray(from, from + length))
  const parts = await taggedParts({ size: file.length, read }, 'wav', { teaching })
  return parts && joined(parts.map((part) => ('from' in part ? file.subarray(part.from, part.to) : part)))
}

/** Names and sizes of the chunks of a whole file. */
function chunksOf(file: Uint8Array): (readonly [string, number])[] {
  const found: (readonly [string, number])[] = []
  for (let at = 12; at < file.length;) {
    const size = viewOf(file).getUint32(at + 4, true)
    found.push([latinText(file.subarray(at, at + 4)), size])
    at += 8 + size + (size % 2)
  }
  return found
}

test.each([
  ['nothing', new Uint8Array(0)],
  ['no RIFF', latin('RF64\0\0\0\0WAVE')],
  [
    'another kind of RIFF',
    joined([latin('RIFF'), little(40), latin('AVI '), format, chunk('data', sound(9))]),
  ],
  ['no sound', wav(format)],
  ['sound twice', wav(format, chunk('data', sound(10)), chunk('data', sound(10)))],
  ['a chunk beyond the file', wav(format, chunk('data', sound(10)), chunk('LIST', sound(4), 900))],
  [
    'a sound whose odd length has no byte behind it',
    wav(format, chunk('data', sound(11)), chunk('cue ', sound(4))),
  ],
  [
    'chunks without end',
    wav(...Array.from({ length: 100 }, () => chunk('junk', sound(2))), chunk('data', sound(4))),
  ],
])('leaves a WAV with %s unchanged', async (_, file) => {
  expect(await tagged(file)).toBeUndefined()
})

test.each([
  ['a true length', wav(format, chunk('data', sound(100))), 100],
  ['an odd length', wav(format, chunk('data', sound(101)), new Uint8Array(1)), 101],
  ['an odd length at the end of the file', wav(format, chunk('data', sound(101))), 101],
  ['no length, as it was recorded into a stream', wav(format, chunk('data', sound(100), 0)), 100],
  ['the largest length, for the same reason', wav(format, chunk('data', sound(101), 0xffff_ffff)), 101],
])('writes true lengths behind a sound with %s', async (_, file, bytes) => {
  const whole = (await tagged(file))!
  expect(viewOf(whole).getUint32(4, true)).toBe(whole.length - 8)
  const chunks = chunksOf(whole)
  expect(chunks.map(([name]) => name)).toEqual(['fmt ', 'data', 'LIST', 'id3 '])
  expect(chunks[1]).toEqual(['data', bytes])
  expect(whole.subarray(44, 44 + bytes)).toEqual(sound(bytes))
})

test('replaces old tags and keeps other chunks', async () => {
  const old = chunk('LIST', latin('INFOINAM\x04\0\0\0Old\0'))
  const labels = chunk('LIST', latin('adtllabl\x08\0\0\0\x01\0\0\0Amen'))
  const file = wav(format, old, chunk('data', sound(10)), labels, chunk('ID3 ', latin('ID3 old ')))
  const whole = (await tagged(file))!
  expect(chunksOf(whole).map(([name]) => name)).toEqual(['fmt ', 'data', 'LIST', 'LIST', 'id3 '])
  const text = latinText(whole)
  expect([text.includes('Old'), text.includes('Amen'), text.includes('Hope')]).toEqual([false, true, true])
})
