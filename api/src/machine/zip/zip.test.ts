import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { openArchive } from './unzip.ts'
import { crcWatch, partsBetween, zipLayout, type ZipEntry } from './zip.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'zip-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const modified = new Date('2026-11-22T10:11:12Z')
const text = (name: string, content: string): ZipEntry => {
  const bytes = Buffer.from(content)
  return { name, bytes: bytes.length, crc32: crc32(bytes), modified, source: { content: bytes } }
}
const hole = (name: string, bytes: number): ZipEntry => ({
  name,
  bytes,
  crc32: 0,
  modified,
  source: { open: () => Promise.reject(new Error('It is never read.')) },
})

/** Writes the headers at their offsets; the large entries stay sparse. */
async function written(name: string, entries: readonly ZipEntry[]): Promise<string> {
  const layout = zipLayout(entries)
  const file = path.join(folder, name)
  const handle = await open(file, 'w')
  try {
    await handle.truncate(layout.size)
    for (const { part } of partsBetween(layout, 0, layout.size - 1)) {
      if ('content' in part.source) await handle.write(part.source.content, 0, part.bytes, part.at)
    }
  } finally {
    await handle.close()
  }
  return file
}

test.each([
  ['just under four gigabytes', 0xffff_fffe],
  ['the first size that 32 bits do not hold', 0xffff_ffff],
  ['five gigabytes', 5_000_000_000],
])('another reader finds an entry of %s and the next', async (_, bytes) => {
  const file = await written(`${bytes}.zip`, [
    text('first.txt', 'before'),
    hole('audio/Tāne.mp3', bytes),
    text('last.txt', 'behind'),
  ])
  const archive = await openArchive(file)
  expect([...archive.entries]).toEqual([
    ['first.txt', 6],
    ['audio/Tāne.mp3', bytes],
    ['last.txt', 6],
  ])
  expect([await archive.read('first.txt', 1e8), await archive.read('last.txt', 1e8)].map(String)).toEqual([
    'before',
    'behind',
  ])
  archive.close()
})

test.each([
  ['UTF-8', 'Tāne 恩.pdf', 'Tāne 恩.pdf'],
  ['code page 437', Buffer.from([0x4d, 0x81, 0x6c, 0x6c]), 'Müll'],
])('reads names of %s that no flag declares', async (_, given, name) => {
  const raw = Buffer.from(given as string)
  const placeholder = 'x'.repeat(raw.length)
  const file = await written('names.zip', [text(placeholder, 'content')])
  const bytes = await readFile(file)
  for (const [signature, flags] of [
    ['PK\u0003\u0004', 6],
    ['PK\u0001\u0002', 8],
  ] as const) {
    const at = bytes.indexOf(signature)
    bytes.writeUInt16LE(bytes.readUInt16LE(at + flags) & ~0x800, at + flags)
    raw.copy(bytes, bytes.indexOf(placeholder, at))
  }
  await writeFile(file, bytes)
  const archive = await openArchive(file)
  expect([...archive.entries]).toEqual([[name, 7]])
  expect(String(await archive.read(name, 100))).toBe('content')
  archive.close()
})

test('has more entries than 16 bits can count', async () => {
  const entries = Array.from({ length: 65_536 }, (_, at) => text(`${at}`, ''))
  const { parts } = zipLayout([...entries, text('last.txt', 'behind')])
  const file = path.join(folder, 'many.zip')
  const made = parts.map(({ source }) => ('content' in source ? source.content : Buffer.alloc(0)))
  await writeFile(file, Buffer.concat(made))
  const unzip = async (...args: string[]) => (await promisify(execFile)('unzip', args)).stdout
  expect(await unzip('-Zt', file)).toMatch(/^65537 files, 6 bytes uncompressed/)
  expect(await unzip('-p', file, 'last.txt')).toBe('behind')
})

const content = randomBytes(1_000)
const entry = {
  name: 'a.mp3',
  bytes: content.length,
  crc32: crc32(content),
  modified: new Date(),
  source: { content },
}
const rotten = Buffer.from(content)
rotten[999]! ^= 1

/** Reads the ranges of `bytes` in this order, and returns whether they count as damaged. */
function damagedAfter(bytes: Buffer, ranges: readonly [from: number, to: number][]): boolean {
  const watch = crcWatch()
  for (const [from, to] of ranges) watch.read(entry, from, bytes.subarray(from, to))
  return watch.damaged.has(entry)
}

test.each<[string, [number, number][]]>([
  ['at once', [[0, 1_000]]],
  [
    'in pieces',
    [
      [0, 400],
      [400, 401],
      [401, 1_000],
    ],
  ],
  [
    'in pieces that overlap, some read twice',
    [
      [0, 400],
      [100, 300],
      [200, 600],
      [0, 400],
      [500, 1_000],
    ],
  ],
])('reports damage of bytes read %s', (_how, ranges) => {
  expect(damagedAfter(rotten, ranges)).toBe(true)
  expect(damagedAfter(content, ranges)).toBe(false)
})

test.each<[string, [number, number][]]>([
  ['the first byte', [[1, 1_000]]],
  ['the last byte', [[0, 999]]],
  [
    'a byte between',
    [
      [0, 400],
      [401, 1_000],
    ],
  ],
])('nothing is said of what was read without %s', (_what, ranges) => {
  expect(damagedAfter(rotten, ranges)).toBe(false)
})

test('a whole file counts once more after it was damaged', () => {
  const watch = crcWatch()
  watch.read(entry, 0, rotten)
  watch.read({ ...entry }, 0, content)
  expect([...watch.damaged]).toEqual([entry])
})
