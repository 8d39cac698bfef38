import { randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import type { OpenBlob } from '../storage/blob-store.ts'
import { crcWatch, zipLayout, type ZipEntry } from './zip.ts'
import { writeZip } from './zip-write.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'zip-write-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const modified = new Date('2026-11-22T10:11:12Z')

/** A stored file that comes in pieces, as from a bucket. */
const fromAfar = (name: string, content: Buffer): OpenBlob => ({
  name,
  bytes: content.length,
  modifiedAt: modified,
  placedAt: modified,
  version: '1',
  read: (start, end) => {
    const wanted = content.subarray(start, end + 1)
    return Promise.resolve(Readable.from([wanted.subarray(0, 7), wanted.subarray(7)]))
  },
  close: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
})

async function fromDisk(name: string, content: Buffer): Promise<OpenBlob> {
  await writeFile(path.join(folder, name), content)
  const handle = await open(path.join(folder, name))
  return { ...fromAfar(name, content), handle, close: () => handle.close() }
}

test.each([
  ['a bucket', fromAfar],
  ['the disk', fromDisk],
])('reports rotten files from %s in any ranges', async (_, stored) => {
  const whole = randomBytes(1_500_000)
  const rotten = Buffer.from(whole)
  rotten[1_400_000]! ^= 1
  const entry = (name: string, content: Buffer): ZipEntry => ({
    name,
    bytes: content.length,
    crc32: crc32(whole),
    modified,
    source: { open: async () => stored(name, content) },
  })
  const entries = [entry('a.mp3', whole), entry('b.mp3', rotten), entry('c.mp3', whole)]
  const layout = zipLayout(entries)
  for (const step of [layout.size, 1_000_000, 99_999]) {
    const watch = crcWatch()
    const pieces: Buffer[] = []
    for (let start = 0; start < layout.size; start += step) {
      const target = new Writable({
        write(chunk: Buffer, _encoding, done) {
          // The buffer is used again.
          pieces.push(Buffer.from(chunk))
          done()
        },
      })
      await writeZip(layout, target, { start, end: Math.min(layout.size, start + step) - 1 }, watch)
    }
    expect([...watch.damaged].map(({ name }) => name)).toEqual(['b.mp3'])
    expect(Buffer.concat(pieces).includes(rotten)).toBe(true)
  }
})
