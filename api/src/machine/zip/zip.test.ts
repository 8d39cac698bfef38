import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { openArchive } from './unzip.ts'
import { partsBetween, zipLayout, type ZipEntry } from './zip.ts'

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
])('another reader finds an entry of %s and the one after it', async (_, bytes) => {
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
