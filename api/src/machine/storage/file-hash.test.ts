import { createHash, randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { fileHash } from './file-hash.ts'

const hashes = fileHash()
let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hash-'))
  file = path.join(folder, 'file')
})
afterEach(() => rm(folder, { recursive: true, force: true }))
afterAll(() => hashes.close())

const expected = (bytes: Buffer) => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  crc32: crc32(bytes) >>> 0,
})

test('rejects for a missing or shorter file, then continues', async () => {
  await expect(hashes.follow(file).finish(10)).rejects.toMatchObject({ code: 'ENOENT' })
  await writeFile(file, 'abc')
  await expect(hashes.follow(file).finish(10)).rejects.toThrow(/shorter/)
  expect(await hashes.follow(file).finish(3)).toEqual(expected(Buffer.from('abc')))
})

test('follows a file as it grows', async () => {
  const pieces = Array.from({ length: 40 }, (_, i) => randomBytes(1 + i * 20_011))
  const following = hashes.follow(file)
  let written = 0
  for (const piece of pieces) {
    await appendFile(file, piece)
    written += piece.length
    following.advance(written)
  }
  expect(await following.finish(written)).toEqual(expected(Buffer.concat(pieces)))
})

test('follows several files at once', async () => {
  const bytes = [randomBytes(3_000_000), randomBytes(10), randomBytes(700_000)]
  const found = await Promise.all(
    bytes.map(async (content, i) => {
      await writeFile(`${file}${i}`, content)
      return hashes.follow(`${file}${i}`).finish(content.length)
    }),
  )
  expect(found).toEqual(bytes.map(expected))
})

test('closes an abandoned file, and hashes an empty one', async () => {
  await writeFile(file, 'x')
  const following = hashes.follow(file)
  following.advance(1)
  following.abandon()
  await writeFile(file, '')
  expect(await hashes.follow(file).finish(0)).toEqual(expected(Buffer.alloc(0)))
})
