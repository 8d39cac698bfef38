import { expect, test } from 'vitest'
import { joined, latin, latinText, viewOf } from '../read/bytes.ts'
import { box } from '../read/mp4-boxes.ts'
import type { TaggedTeaching } from './id3.ts'
import { taggedParts } from './tags.ts'

const teaching = { title: 'Hope', speaker: 'Jane', date: '2026-11-22', scriptureReference: 'Romans 8' }
const ftyp = box('ftyp', latin('M4A \0\0\0\0M4A mp42'))
const mdat = box('mdat', latin('first chunk;second chunk;'))
const chunks = ['first chunk;', 'second chunk;']

function stco(places: readonly number[], count = places.length): Uint8Array {
  const content = new Uint8Array(8 + places.length * 4)
  viewOf(content).setUint32(4, count)
  for (const [at, place] of places.entries()) viewOf(content).setUint32(8 + at * 4, place)
  return box('stco', content)
}
function co64(places: readonly number[]): Uint8Array {
  const content = new Uint8Array(8 + places.length * 8)
  viewOf(content).setUint32(4, places.length)
  for (const [at, place] of places.entries()) viewOf(content).setBigUint64(8 + at * 8, BigInt(place))
  return box('co64', content)
}
const track = (...tables: Uint8Array[]) => box('trak', box('mdia', box('minf', box('stbl', ...tables))))
const udta = (...items: Uint8Array[]) =>
  box(
    'udta',
    box(
      'meta',
      new Uint8Array(4),
      box('hdlr', latin('\0'.repeat(8) + 'mdirappl' + '\0'.repeat(9))),
      box('ilst', ...items),
    ),
  )
const text = (name: string, value: string) => box(name, box('data', latin('\0\0\0\x01\0\0\0\0' + value)))

type Index = (soundAt: number) => Uint8Array

/** Files with the index before and behind the sound; its places are those of the chunks. */
const before = (index: Index) => {
  const { length } = index(0)
  return joined([ftyp, index(ftyp.length + length + 8), mdat])
}
const behind = (index: Index) => joined([ftyp, mdat, index(ftyp.length + 8)])
const places = (at: number) => [at, at + chunks[0]!.length]

async function tagged(file: Uint8Array, words: TaggedTeaching = teaching): Promise<Uint8Array | undefined> {
  const read = (from: number, length: number) => Promise.resolve(file.subarray(from, from + length))
  const parts = await taggedParts({ size: file.length, read }, 'm4a', { teaching: words })
  return parts && joined(parts.map((part) => ('from' in part ? file.subarray(part.from, part.to) : part)))
}

/** The bytes at the positions in the index of a file. */
function chunksAt(file: Uint8Array, name = 'stco'): string[] {
  const at = latinText(file).indexOf(name) + 4
  const view = viewOf(file)
  const bytes = name === 'stco' ? 4 : 8
  return chunks.map((chunk, number) => {
    const place = at + 8 + number * bytes
    const from = bytes === 4 ? view.getUint32(place) : Number(view.getBigUint64(place))
    return latinText(file.subarray(from, from + chunk.length))
  })
}

const plain: Index = (at) => box('moov', box('mvhd'), track(stco(places(at))))

test.each([
  ['nothing', new Uint8Array(0)],
  ['no index', joined([ftyp, mdat])],
  ['two indexes', joined([behind(plain), plain(ftyp.length + 8)])],
  ['fragments', joined([behind(plain), box('moof', new Uint8Array(40))])],
  ['an index of fragments', behind((at) => box('moov', track(stco(places(at))), box('mvex')))],
  ['a packed index', behind(() => box('moov', box('cmov', new Uint8Array(40))))],
  [
    'an index that refers to bytes of the file otherwise',
    behind((at) => box('moov', track(stco(places(at))), box('meta', new Uint8Array(4), box('iloc')))),
  ],
  ['places of encrypted sound', behind((at) => box('moov', track(stco(places(at)), box('saio'))))],
  ['no places of its sound', behind(() => box('moov', track()))],
  ['no track', behind(() => box('moov', box('mvhd')))],
  ['places beyond their table', behind((at) => box('moov', track(stco(places(at), 3))))],
  ['a place outside of its sound', before((at) => box('moov', track(stco([at, 3]))))],
  ['a place in its index', before((at) => box('moov', track(stco([at, ftyp.length + 20]))))],
  ['a box beyond the file', behind(plain).subarray(0, -1)],
  ['a box beyond its index', behind((at) => box('moov', track(stco(places(at))), latin('\0\0\x01\0free')))],
  ['a box of no length', joined([ftyp, latin('\0\0\0\x04free'), mdat, plain(ftyp.length + 16)])],
  ['boxes without end', joined([...Array.from({ length: 100 }, () => box('free')), behind(plain)])],
])('leaves an M4A with %s unchanged', async (_, file) => {
  expect(await tagged(file)).toBeUndefined()
})

test('moves the positions of sound behind the index', async () => {
  const file = before(plain)
  const whole = (await tagged(file))!
  expect(whole.length).toBeGreaterThan(file.length + 100)
  expect(chunksAt(whole)).toEqual(chunks)
})

test('moves positions of 64 bits too', async () => {
  const whole = (await tagged(before((at) => box('moov', track(co64(places(at)))))))!
  expect(chunksAt(whole, 'co64')).toEqual(chunks)
})

test('keeps the positions of sound before the index', async () => {
  const file = behind(plain)
  const whole = (await tagged(file))!
  expect(chunksAt(whole)).toEqual(chunks)
  expect(whole.subarray(0, ftyp.length + mdat.length)).toEqual(joined([ftyp, mdat]))
})

test('corrects positions on both sides of the index', async () => {
  const first = box('mdat', latin(chunks[0]!))
  const second = box('mdat', latin(chunks[1]!))
  const at = ftyp.length + first.length
  const index = (behindAt: number) => box('moov', track(stco([ftyp.length + 8, behindAt])))
  const file = joined([ftyp, first, index(at + index(0).length + 8), second])
  expect(chunksAt((await tagged(file))!)).toEqual(chunks)
})

test('reads a 64-bit index and one of open length', async () => {
  const index = plain(ftyp.length + 8)
  const large = joined([latin('\0\0\0\x01moov\0\0\0\0'), new Uint8Array(4), index.subarray(8)])
  viewOf(large).setUint32(12, large.length)
  const open = joined([new Uint8Array(4), index.subarray(4)])
  for (const each of [large, open])
    expect(chunksAt((await tagged(joined([ftyp, mdat, each])))!)).toEqual(chunks)
})

test('replaces old tags, but keeps chapters, gaps and the encoder', async () => {
  const items = [
    text('©nam', 'Old title'),
    text('covr', 'Old picture'),
    text('----', 'iTunSMPB'),
    text('©too', 'Lavf'),
  ]
  const file = before((at) =>
    box(
      'moov',
      track(stco(places(at))),
      udta(...items),
      box('udta', box('chpl', latin('Chapter')), box('titl', latin('Old phone'))),
    ),
  )
  const whole = (await tagged(file))!
  const found = latinText(whole)
  for (const gone of ['Old title', 'Old picture', 'Old phone']) expect(found).not.toContain(gone)
  for (const kept of ['iTunSMPB', 'Lavf', 'Chapter', 'Hope', 'Jane', 'Romans 8'])
    expect(found).toContain(kept)
  expect(chunksAt(whole)).toEqual(chunks)
  expect(await tagged(whole)).toEqual(whole)
})

test('the teaching’s chapters replace those of the recording', async () => {
  const file = before((at) =>
    box('moov', track(stco(places(at))), box('udta', box('chpl', latin('Old chapter')))),
  )
  const chapters = `0:00 Welcome\n12:30 ${'é'.repeat(120)} (teaching starts here)`
  const whole = (await tagged(file, { ...teaching, chapters }))!
  const found = latinText(whole)
  expect(found).not.toContain('Old chapter')
  expect(found.split('chpl')).toHaveLength(2)
  expect(found).toContain('Welcome')
  expect(chunksAt(whole)).toEqual(chunks)
  expect(await tagged(whole, { ...teaching, chapters })).toEqual(whole)
})

test('removes QuickTime tags', async () => {
  const meta = box(
    'meta',
    box('hdlr', latin('\0'.repeat(8) + 'mdta' + '\0'.repeat(13))),
    box('keys'),
    box('ilst'),
  )
  const file = before((at) =>
    box('moov', track(stco(places(at))), meta, box('udta', text('©nam', 'Old'), new Uint8Array(4))),
  )
  const whole = (await tagged(file))!
  expect([latinText(whole).includes('Old'), latinText(whole).includes('keys')]).toEqual([false, false])
  expect(chunksAt(whole)).toEqual(chunks)
})
