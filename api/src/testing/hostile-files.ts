import { deflateRawSync } from 'node:zlib'
import { fixture } from './multipart.ts'

/** A file that keeps a reader busy, misleads it or fills its memory, by what it is. */
export type HostileFile = readonly [name: string, bytes: Buffer]

const large = 1 << 20
const latin = (text: string) => Buffer.from(text, 'latin1')
const repeated = (unit: Buffer, bytes = large) => Buffer.alloc(bytes, unit)
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
const little = (value: number) => uint32(value).reverse()

/** An MPEG 1 layer III frame of 128 kbit/s at 44.1 kHz. */
const frame = Buffer.concat([latin('\xff\xfb\x90\x00'), Buffer.alloc(413)])
const frames = (count: number) => Buffer.concat(Array.from({ length: count }, () => frame))
const id3 = (size: Buffer, content = Buffer.alloc(0), flags = 0) =>
  Buffer.concat([latin('ID3\x04\0'), Buffer.from([flags]), size, content])
const synchsafe = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f))
const ape = (size: number, flags = 0) =>
  Buffer.concat([latin('APETAGEX'), little(2000), little(size), little(1), little(flags), Buffer.alloc(8)])
/** A frame that declares `count` frames of `bytes` bytes, as encoders do. */
function xing(count: number, bytes: number): Buffer {
  const made = Buffer.from(frame)
  Buffer.concat([latin('Xing'), uint32(3), uint32(count), uint32(bytes)]).copy(made, 36)
  return made
}
const vbri = (count: number) => {
  const made = Buffer.from(frame)
  Buffer.concat([latin('VBRI'), Buffer.alloc(10), uint32(count)]).copy(made, 36)
  return made
}

/** Frames of raw AAC at 44.1 kHz, mono, each of its declared bytes, head included. */
const adtsFrames = (...sizes: readonly number[]) =>
  Buffer.concat(
    sizes.map((size) => {
      const head = Buffer.from([0xff, 0xf1, 0x50, 0x40 | (size >> 11), (size >> 3) & 255, (size & 7) << 5, 0])
      return Buffer.concat([head, Buffer.alloc(Math.max(0, size - head.length))])
    }),
  )

const chunk = (name: string, size: number, content = Buffer.alloc(0)) =>
  Buffer.concat([latin(name), little(size), content])
const format = (tag = 1, rate = 16_000, size = 16) => {
  const words = Buffer.alloc(16)
  words.writeUInt16LE(tag, 0)
  words.writeUInt16LE(1, 2)
  words.writeUInt32LE(8000, 4)
  words.writeUInt32LE(rate, 8)
  return chunk('fmt ', size, words)
}
const wav = (...chunks: Buffer[]) => Buffer.concat([latin('RIFF'), little(36), latin('WAVE'), ...chunks])

const box = (name: string, content: Buffer, size = content.length + 8) =>
  Buffer.concat([uint32(size), latin(name), content])
const ftyp = box('ftyp', latin('M4A \0\0\0\0M4A mp42'))
const mdat = box('mdat', Buffer.alloc(4000))
const nested = (name: string, depth: number): Buffer => {
  let made = Buffer.alloc(0)
  for (let level = 0; level < depth; level++) made = box(name, made)
  return made
}
const table = (name: string, count: number) => box(name, Buffer.concat([Buffer.alloc(4), uint32(count)]))
const track = (...tables: Buffer[]) =>
  box('moov', box('trak', box('mdia', box('minf', box('stbl', Buffer.concat(tables))))))

const zipHead = (size: number) =>
  Buffer.concat([latin('PK\x03\x04'), Buffer.alloc(14), little(size), little(size), latin('\x01\0\0\0a')])

/** Files whose sound is whole, although their headers mislead about it. */
export const misleadingFiles: readonly HostileFile[] = [
  ['a Xing header of four billion frames', Buffer.concat([xing(0xffff_ffff, 0xffff_ffff), frames(20)])],
  ['a VBRI header of four billion frames', Buffer.concat([vbri(0xffff_ffff), frames(20)])],
  ['a WAV that holds an MP3', wav(format(85), chunk('data', 4170, frames(10)))],
]

/** Files that are refused however they come in, whatever their name. */
export const hostileFiles: readonly HostileFile[] = [
  ['nothing', Buffer.alloc(0)],
  ['one byte', latin('\xff')],
  ['zeros', Buffer.alloc(large)],
  ['ones', repeated(latin('\xff'))],
  ['false frame starts', repeated(latin('\xff\xfb'))],
  ['false frame starts, five bytes each', repeated(latin('\xff\xfb\x92\xff\xe3'))],
  ['frame heads without frames', repeated(latin('\xff\xfb\x90\x00'))],
  ['frame heads of changing rates', repeated(latin('\xff\xfb\x90\x00\xff\xf3\x94'))],
  ['frame heads of the reserved version', repeated(latin('\xff\xeb\x90\x00'))],
  ['frame heads of layer II', repeated(latin('\xff\xfd\x90\x00'))],
  ['frame heads of the free bitrate', repeated(latin('\xff\xfb\x00\x00'))],
  [
    'frames with junk between them',
    Buffer.concat(
      Array.from({ length: 900 }, () => Buffer.concat([frame, repeated(latin('\xff\xfb'), 701)])),
    ),
  ],
  ['two frames and junk', Buffer.concat([frames(2), repeated(latin('\xff\xfa'))])],
  ['junk that is half ID3 marks', repeated(latin('ID3'))],
  ['empty ID3 tags', repeated(id3(synchsafe(0)))],
  ['ID3 tags with footers', repeated(id3(synchsafe(0), Buffer.alloc(0), 0x10))],
  ['an ID3 tag of 256 MB', id3(synchsafe(0xfff_ffff), Buffer.alloc(100))],
  ['an ID3 tag whose size has high bits', id3(Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(5000))],
  [
    'an ID3 tag with a frame of 4 GB',
    id3(synchsafe(5000), Buffer.concat([latin('APIC'), uint32(0xffff_ffff), Buffer.alloc(4992)])),
  ],
  [
    'an ID3 tag with ten thousand frames',
    id3(synchsafe(110_000), repeated(Buffer.concat([latin('TIT2'), uint32(1), latin('\0\0a')]), 110_000)),
  ],
  ['an unsynchronized ID3 tag', id3(synchsafe(large), repeated(latin('\xff\0')), 0x80)],
  [
    'an ID3 tag with an extended header of 4 GB',
    id3(synchsafe(5000), Buffer.concat([uint32(0xffff_ffff), Buffer.alloc(4996)]), 0x40),
  ],
  ['empty APE tags', repeated(ape(0))],
  ['APE headers of no size', repeated(ape(0, 0x2000_0000))],
  ['an APE tag of 4 GB', Buffer.concat([ape(0xffff_ffff, 0x2000_0000), Buffer.alloc(5000)])],
  ['ID3v1 marks', repeated(latin('TAG'))],
  ['an MP3 of one frame', frames(1)],
  ['a bare RIFF head', latin('RIFF\x24\0\0\0WAVE')],
  ['a WAV without a format', wav(chunk('data', 1000, Buffer.alloc(1000)))],
  ['a WAV of empty chunks', wav(repeated(chunk('junk', 0)))],
  ['a WAV of one-byte chunks', wav(repeated(chunk('junk', 1, Buffer.alloc(2))))],
  ['a WAV chunk of 4 GB', wav(chunk('junk', 0xffff_ffff, Buffer.alloc(100)))],
  ['a WAV without samples', wav(format(), chunk('data', 0))],
  ['a WAV of no bytes a second', wav(format(1, 0), chunk('data', 1000, Buffer.alloc(1000)))],
  [
    'a WAV of four billion bytes a second',
    wav(format(1, 0xffff_ffff), chunk('data', 0xffff_0000, Buffer.alloc(100))),
  ],
  ['a WAV with half a format', wav(chunk('fmt ', 16, Buffer.alloc(8)))],
  ['a WAV with ten thousand formats', wav(repeated(format(), 240_000))],
  ['a WAV whose samples are missing', wav(format(), chunk('data', 0x7fff_ffff))],
  ['an AAC frame without length', adtsFrames(0)],
  ['AAC frames, one without length', Buffer.concat([adtsFrames(200, 200, 200, 0), Buffer.alloc(500)])],
  ['an MP4 of a head alone', ftyp],
  ['an MP4 whose head is 4 GB', box('ftyp', latin('M4A '), 0xffff_ffff)],
  [
    'an MP4 head of many brands',
    box('ftyp', Buffer.concat([latin('M4A \0\0\0\0'), repeated(latin('M4A '))])),
  ],
  ['an MP4 of empty boxes', Buffer.concat([ftyp, repeated(box('free', Buffer.alloc(0)))])],
  [
    'an MP4 of boxes shorter than their heads',
    Buffer.concat([ftyp, repeated(box('free', Buffer.alloc(0), 7))]),
  ],
  [
    'an MP4 box of 2^63 bytes',
    Buffer.concat([ftyp, box('free', latin('\x7f\xff\xff\xff\xff\xff\xff\xff'), 1)]),
  ],
  ['an MP4 without an index', Buffer.concat([ftyp, mdat])],
  ['an MP4 with an empty index', Buffer.concat([ftyp, box('moov', Buffer.alloc(0)), mdat])],
  ['an MP4 index of nested boxes', Buffer.concat([ftyp, box('moov', nested('trak', 5000)), mdat])],
  ['an MP4 index of nested lists', Buffer.concat([ftyp, box('moov', nested('ilst', 5000)), mdat])],
  [
    'an MP4 index of empty tracks',
    Buffer.concat([ftyp, box('moov', repeated(box('trak', Buffer.alloc(0)))), mdat]),
  ],
  [
    'an MP4 table of four billion samples',
    Buffer.concat([ftyp, track(table('stts', 0xffff_ffff), table('stsz', 0xffff_ffff)), mdat]),
  ],
  [
    'an MP4 table of four billion chunks',
    Buffer.concat([ftyp, track(table('stco', 0xffff_ffff), table('stsc', 0xffff_ffff)), mdat]),
  ],
  [
    'an MP4 description of four billion formats',
    Buffer.concat([ftyp, track(table('stsd', 0xffff_ffff)), mdat]),
  ],
  [
    'an MP4 index that is longer than its boxes',
    Buffer.concat([ftyp, box('moov', box('mvhd', Buffer.alloc(4), 0xffff_ffff)), mdat]),
  ],
  ['an MP4 of one large unknown box', Buffer.concat([ftyp, box('abcd', Buffer.alloc(2 * large))])],
  [
    'an MP4 tag of 4 GB',
    Buffer.concat([
      ftyp,
      box(
        'moov',
        box('udta', box('meta', box('ilst', box('covr', box('data', Buffer.alloc(8), 0xffff_ffff))))),
      ),
      mdat,
    ]),
  ],
  ['an AVI', Buffer.concat([latin('RIFF'), little(large), latin('AVI LIST'), Buffer.alloc(5000)])],
  [
    'a Matroska file',
    Buffer.concat([latin('\x1a\x45\xdf\xa3\x01\xff\xff\xff\xff\xff\xff\xff'), Buffer.alloc(5000)]),
  ],
  [
    'an Ogg file',
    Buffer.concat([latin('OggS\0\x02'), Buffer.alloc(22), latin('OpusHead'), Buffer.alloc(900)]),
  ],
  ['a FLAC file', Buffer.concat([latin('fLaC\0\xff\xff\xff'), Buffer.alloc(900)])],
  [
    'an ASF file of an endless header',
    Buffer.concat([
      latin('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c'),
      repeated(Buffer.alloc(24)),
    ]),
  ],
  ['a ZIP of empty entries', repeated(zipHead(0))],
  ['a ZIP entry of 4 GB', Buffer.concat([zipHead(0xffff_ffff), Buffer.alloc(5000)])],
  [
    'a compressed bomb',
    Buffer.concat([
      latin('\x1f\x8b\x08\0\0\0\0\0\0\x03'),
      deflateRawSync(Buffer.alloc(64 * large)),
      Buffer.alloc(8),
    ]),
  ],
  ['a tar archive', Buffer.concat([Buffer.alloc(257), latin('ustar\x0000'), Buffer.alloc(5000)])],
  ['a PNG with a chunk of 2 GB', latin('\x89PNG\r\n\x1a\n\x7f\xff\xff\xffIDAT')],
  [
    'a PNG of empty chunks',
    Buffer.concat([latin('\x89PNG\r\n\x1a\n'), repeated(latin('\0\0\0\0abcd\0\0\0\0'))]),
  ],
  [
    'a TIFF whose directory leads to itself',
    Buffer.concat([latin('II*\0\x08\0\0\0'), repeated(latin('\xff\xff\x08\0\0\0'), 4096)]),
  ],
  ['nested XML', repeated(latin('<a>'))],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(100))],
]

const mutatedNames = ['cbr.mp3', 'vbr-xing.mp3', 'speech.wav', 'slow.m4a', 'faststart.m4a', 'alac.m4a']
export const mutatedFormats = mutatedNames.length

/** Real recordings with some bytes changed, cut or doubled: the same ones for the same seed. */
export async function* mutatedRecordings(count: number, seed: number): AsyncGenerator<HostileFile> {
  const originals = await Promise.all(mutatedNames.map((name) => fixture(name)))
  // A linear congruential generator (Numerical Recipes); its upper bits are the random ones.
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  for (let at = 0; at < count; at++) {
    const kind = at % mutatedFormats
    const began = seed
    yield [`${mutatedNames[kind]} mutated from ${began}`, mutated(originals[kind]!, random)]
  }
}

function mutated(original: Buffer, random: (below: number) => number): Buffer {
  let bytes = Buffer.from(original)
  for (let change = 0; change <= random(8); change++) {
    // Half of the changes are in the headers.
    const at = Math.min(bytes.length, random(random(2) ? bytes.length : 1024))
    const kind = random(6)
    if (kind < 2) bytes.fill(random(256), at, Math.min(bytes.length, at + 1))
    else if (kind === 2) bytes.fill(random(2) ? 0xff : 0, at, Math.min(bytes.length, at + 1 + random(8)))
    else if (kind === 3) bytes = bytes.subarray(0, Math.max(1, at))
    else if (kind === 4) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random(64))])
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - random(4096)))])
  }
  return bytes
}
