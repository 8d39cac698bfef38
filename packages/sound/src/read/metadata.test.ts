import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readTags } from './metadata.ts'

const fixtures = path.resolve(import.meta.dirname, '../../../../infra/dev/fixtures')

/** One ID3v2.3 text frame in Latin-1. */
function frame(id: string, text: string): Buffer {
  const body = Buffer.concat([Buffer.from([0]), Buffer.from(text, 'latin1')])
  const head = Buffer.alloc(10)
  head.write(id, 'latin1')
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body])
}

/** A real recording behind an ID3 tag with these frames. */
async function tagged(frames: Record<string, string>): Promise<Blob> {
  const body = Buffer.concat(Object.entries(frames).map(([id, text]) => frame(id, text)))
  const head = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1')
  // Seven bits in each byte.
  for (let at = 0; at < 4; at++) head[6 + at] = (body.length >> (7 * (3 - at))) & 0x7f
  const sound = await readFile(path.join(fixtures, 'cbr.mp3'))
  return new Blob([head, body, sound], { type: 'audio/mpeg' })
}

test.each([
  ['no recording at all', () => Promise.resolve(new Blob(['hello']))],
  ['what recorders write', () => tagged({ TIT2: 'New Recording 12', TPE1: 'Unknown Artist', TYER: '2026' })],
])('nothing is read from %s', async (_, file) => {
  expect(await readTags(await file())).toEqual({})
})

test('title, artist and day are read from an ID3 tag', async () => {
  const file = await tagged({ TIT2: ' The Faithful Shepherd ', TPE1: 'John Smith', TDRC: '2026-10-04' })
  expect(await readTags(file)).toEqual({
    title: 'The Faithful Shepherd',
    speaker: 'John Smith',
    date: '2026-10-04',
  })
})
