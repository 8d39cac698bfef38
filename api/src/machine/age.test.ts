import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { ageFileBytes, newAgeFile, pieceBytes, type AgeFile } from './age.ts'
import { PassphraseNeeded, readAge, writeAge } from './age-stream.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'age-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const passphrase = 'four words nobody says'
/** One for all tests: its key takes a tenth of a second. */
const file = await newAgeFile(passphrase)

/** The range of the encrypted file, written in pieces of an odd size. */
async function encrypted(
  file: AgeFile,
  clear: Buffer,
  range?: { start: number; end: number },
): Promise<Buffer> {
  const target = new PassThrough()
  const collected = buffer(target)
  const write = async (to: Writable, { start, end }: { start: number; end: number }) => {
    for (let at = start; at <= end; at += 50_001) {
      const piece = clear.subarray(at, Math.min(at + 50_001, end + 1))
      await new Promise<void>((resolve) => to.write(piece, () => resolve()))
    }
  }
  await writeAge(file, clear.length, write, target, range)
  target.end()
  return collected
}
async function saved(bytes: Buffer): Promise<string> {
  const file = path.join(folder, 'file.age')
  await writeFile(file, bytes)
  return file
}
async function read(bytes: Buffer, given: string | undefined = passphrase): Promise<Buffer> {
  const reader = (await readAge(await saved(bytes), given))!
  const pieces: Buffer[] = []
  try {
    for await (const piece of reader.read(0, reader.bytes)) pieces.push(piece)
  } finally {
    await reader.close()
  }
  return Buffer.concat(pieces)
}

test('opens only encrypted files, and only with their passphrase', async () => {
  expect(await readAge(await saved(Buffer.from('PK')), passphrase)).toBeUndefined()
  const bytes = await encrypted(file, Buffer.from('x'))
  await expect(readAge(await saved(bytes), undefined)).rejects.toThrow(PassphraseNeeded)
  await expect(readAge(await saved(bytes), 'four words somebody says')).rejects.toThrow(PassphraseNeeded)
})

test('refuses changed, reordered, missing or truncated pieces', async () => {
  const bytes = await encrypted(file, randomBytes(3 * pieceBytes))
  const at = (piece: number) => file.head.length + piece * (pieceBytes + 16)
  const changed = Buffer.from(bytes)
  changed[at(1) + 5]! ^= 1
  const reordered = Buffer.concat([
    bytes.subarray(0, at(0)),
    bytes.subarray(at(1), at(2)),
    bytes.subarray(at(0), at(1)),
    bytes.subarray(at(2)),
  ])
  const leftOut = Buffer.concat([bytes.subarray(0, at(1)), bytes.subarray(at(2))])
  for (const wrong of [changed, reordered, leftOut, bytes.subarray(0, at(2)), bytes.subarray(0, -1)]) {
    await expect(read(wrong)).rejects.toThrow('cut short or damaged')
  }
})

test.each([1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes, 300_000])(
  'returns %d bytes, and any range of them',
  async (length) => {
    const clear = randomBytes(length)
    const whole = await encrypted(file, clear)
    expect(whole).toHaveLength(ageFileBytes(file, length))
    expect((await read(whole)).equals(clear)).toBe(true)
    const last = whole.length - 1
    const edges = [
      0,
      1,
      file.head.length - 1,
      file.head.length,
      file.head.length + pieceBytes + 15,
      last - 1,
      last,
    ]
    for (const start of edges.filter((edge) => edge >= 0 && edge <= last)) {
      for (const end of [start, Math.min(start + 70_000, last), last]) {
        expect((await encrypted(file, clear, { start, end })).equals(whole.subarray(start, end + 1))).toBe(
          true,
        )
      }
    }
  },
)

test('opens a file that another program of the format wrote', async () => {
  const kept =
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCA5MndNaVR6ckpyL01JQVZFQ1pBMmF3IDEwCmd4eFZEOEZYK0xzRk5QdXA4TDRTZHNSQmN3K2Q0d2JZWGNmSXZnRGxhdTAKLS0tIEZsTzQ3bnFRZmt5ZmxxOFVxZ3VDNlA5eFRRMnNBSkRTbnBOMytOQjR1MXcKaNNGKp2l+g5h4ZNXi2QiPyjJfsj9PbbSy7X5OGHOxdEndZb5er4D9N6yq+nXCpBW0jIWBeptsA=='
  expect((await read(Buffer.from(kept, 'base64'))).toString()).toBe('kept by another program')
})
