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

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const sevenBits = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f))
const id3 = (version: number, flags: number, body: Buffer) =>
  Buffer.concat([latin1('ID3'), Buffer.from([version, 0, flags]), sevenBits(body.length), body])
const textFrame = (id: string, content: Buffer, format = 0) => {
  const head = Buffer.alloc(10)
  head.write(id, 'latin1')
  head.writeUInt32BE(content.length, 4)
  head[9] = format
  return Buffer.concat([head, content])
}
const utf16 = (text: string) => Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const escaped = (bytes: Buffer) =>
  Buffer.from(
    [...bytes].flatMap((byte, at) => (byte === 0xff && (bytes[at + 1] ?? 0) >= 0xe0 ? [byte, 0] : [byte])),
  )
const apeItem = (key: string, value: string) => {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(Buffer.byteLength(value))
  return Buffer.concat([head, latin1(`${key}\0`), Buffer.from(value)])
}
const ape = (...items: Buffer[]) => {
  const footer = Buffer.alloc(32)
  footer.write('APETAGEX', 'latin1')
  footer.writeUInt32LE(2000, 8)
  footer.writeUInt32LE(Buffer.concat(items).length + 32, 12)
  return Buffer.concat([...items, footer])
}
const id3v1 = (title: string) => Buffer.concat([latin1('TAG'), latin1(title.padEnd(125, '\0'))])

/** A tag at the start or the end of a recording, and the title that is read from it. */
const tags: readonly (readonly [string, readonly Buffer[], readonly Buffer[], string | undefined])[] = [
  [
    'an escaped ID3v2.3 tag',
    [id3(3, 0x80, escaped(textFrame('TIT2', utf16('Ÿoke of Christ'))))],
    [],
    'Ÿoke of Christ',
  ],
  ['UTF-8 that is marked as Latin-1', [id3(3, 0, textFrame('TIT2', Buffer.from('\0Renée')))], [], 'Renée'],
  ['Latin-1', [id3(3, 0, textFrame('TIT2', latin1('\0Renée')))], [], 'Renée'],
  [
    'UTF-16 without a mark in the other order',
    [
      id3(
        3,
        0,
        textFrame('TIT2', Buffer.concat([Buffer.from([1]), Buffer.from('Hope', 'utf16le').swap16()])),
      ),
    ],
    [],
    'Hope',
  ],
  ['ID3v2.2', [id3(2, 0, Buffer.concat([latin1('TT2\0\0\x05'), latin1('\0Hope')]))], [], 'Hope'],
  [
    'a frame behind a picture',
    [
      id3(
        4,
        0,
        Buffer.concat([textFrame('APIC', Buffer.alloc(120)), textFrame('TIT2', Buffer.from('\x03Hope'))]),
      ),
    ],
    [],
    'Hope',
  ],
  [
    'two tags in front',
    [
      id3(3, 0, textFrame('TPE1', latin1('\0Ann Lee'))),
      id3(4, 0, textFrame('TIT2', Buffer.from('\x03Hope'))),
    ],
    [],
    'Hope',
  ],
  ['ID3v1 alone', [], [id3v1('Hope')], 'Hope'],
  ['an APE tag alone', [], [ape(apeItem('Title', 'Hope'), apeItem('Artist', 'Ann Lee'))], 'Hope'],
  ['an APE tag before ID3v1', [], [ape(apeItem('Title', 'Hope')), id3v1('HOPE')], 'Hope'],
  [
    'a title that was decoded wrongly',
    [id3(4, 0, textFrame('TIT2', Buffer.from('\x03RenÃ©e')))],
    [],
    undefined,
  ],
  [
    'a title with a lost character',
    [id3(4, 0, textFrame('TIT2', Buffer.from('\x03Ren\ufffde')))],
    [],
    undefined,
  ],
]

test.each(tags)('reads %s', async (_, before, behind, title) => {
  const sound = await readFile(path.join(fixtures, 'cbr.mp3'))
  // The recording has a tag of its own, whose title is empty.
  const file = new Blob(
    [...before, sound, ...behind].map((bytes) => new Uint8Array(bytes)),
    { type: 'audio/mpeg' },
  )
  expect((await readTags(file)).title).toBe(title)
})
