import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPart, type BlobStore, type OpenBlob } from '../machine/storage/blob-store.ts'

/**
 * The contract of every blob store, as tests in the calling file.
 *
 * @param makeBlobStore the local files to be stored are made in the folder that it is given
 * @param largeBytes more than is sent in one piece
 */
export function blobStoreContract(
  makeBlobStore: (folder: string) => Promise<BlobStore>,
  largeBytes: number,
): void {
  let blobs: BlobStore
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'blobs-'))
    blobs = await makeBlobStore(folder)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  let files = 0
  const local = async (content: Buffer) => {
    const file = path.join(folder, `local-${(files += 1)}`)
    await writeFile(file, content)
    return file
  }
  const put = async (name: string, content: Buffer) => blobs.put('audio', name, await local(content))

  async function opened<T>(name: string, work: (file: OpenBlob) => Promise<T>): Promise<T> {
    const file = await blobs.open('audio', name)
    try {
      return await work(file!)
    } finally {
      await file!.close()
    }
  }
  const bytesOf = (name: string, start: number, end: number) =>
    opened(name, async (file) => {
      const chunks: Buffer[] = []
      for await (const chunk of await file.read(start, end)) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    })

  test.each(['../app-secret', 'a/b', '.hidden', '', 'a\0b', 'x'.repeat(300)])(
    '%j is no name for a file',
    async (name) => {
      const refusal = /is no name for a stored file/
      await expect(put(name, Buffer.from('x'))).rejects.toThrow(refusal)
      await expect(blobs.stat('audio', name)).rejects.toThrow(refusal)
      await expect(blobs.open('audio', name)).rejects.toThrow(refusal)
      await expect(blobs.remove('audio', name)).rejects.toThrow(refusal)
    },
  )

  test('does not store a missing local file', async () => {
    await expect(blobs.put('audio', 'missing.mp3', path.join(folder, 'none'))).rejects.toThrow('ENOENT')
    expect(await blobs.stat('audio', 'missing.mp3')).toBeUndefined()
  })

  test('a missing file is undefined, its removal false', async () => {
    expect(await blobs.stat('audio', 'none.mp3')).toBeUndefined()
    expect(await blobs.open('audio', 'none.mp3')).toBeUndefined()
    expect(await blobs.remove('audio', 'none.mp3')).toBe(false)
  })

  test('the same name in the other folder is another file', async () => {
    await put('both', Buffer.from('sound'))
    expect(await blobs.stat('images', 'both')).toBeUndefined()
  })

  test('a stored file has its size, date and ranges', async () => {
    const content = randomBytes(70_000)
    await put('ranges.mp3', content)
    const found = await blobs.stat('audio', 'ranges.mp3')
    expect(found).toMatchObject({ name: 'ranges.mp3', bytes: 70_000 })
    expect(Math.abs(found!.modifiedAt.getTime() - Date.now())).toBeLessThan(60_000)
    expect(found!.placedAt.getTime()).toBeGreaterThan(0)
    for (const [start, end] of [
      [0, 69_999],
      [0, 0],
      [69_999, 69_999],
      [1000, 66_000],
    ] as const) {
      expect((await bytesOf('ranges.mp3', start, end)).equals(content.subarray(start, end + 1))).toBe(true)
    }
    const last = await opened('ranges.mp3', (file) => readPart(file, 69_990, 100))
    expect(last.equals(content.subarray(69_990))).toBe(true)
  })

  test('an empty file is stored and read', async () => {
    await put('empty', Buffer.alloc(0))
    expect(await blobs.stat('audio', 'empty')).toMatchObject({ bytes: 0 })
    expect(await bytesOf('empty', 0, -1)).toEqual(Buffer.alloc(0))
  })

  test('a large file comes back byte for byte', async () => {
    const content = randomBytes(largeBytes)
    await put('large.wav', content)
    const hash = createHash('sha256')
    await opened('large.wav', async (file) => {
      expect(file.bytes).toBe(largeBytes)
      for await (const chunk of await file.read(0, largeBytes - 1)) hash.update(chunk as Buffer)
    })
    expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'))
  })

  test('storing again makes another version; readers never see a mixture', async () => {
    const before = Buffer.alloc(50_000, 1)
    await put('again.mp3', before)
    const first = await blobs.stat('audio', 'again.mp3')
    const reader = (await blobs.open('audio', 'again.mp3'))!
    await put('again.mp3', Buffer.alloc(50_000, 2))
    expect((await blobs.stat('audio', 'again.mp3'))!.version).not.toBe(first!.version)
    // The old bytes, or a refusal.
    const seen = await readPart(reader, 0, 50_000).catch(() => before)
    expect(seen.equals(before)).toBe(true)
    await reader.close()
    expect((await bytesOf('again.mp3', 0, 49_999)).equals(Buffer.alloc(50_000, 2))).toBe(true)
  })

  test('lists what is there, and a removed file is gone', async () => {
    const names = async () => {
      const found: string[] = []
      for await (const { name, bytes } of blobs.list('images')) found.push(`${name} ${bytes}`)
      return found.toSorted()
    }
    expect(await names()).toEqual([])
    for (const name of ['a-192.webp', 'b-192.webp'])
      await blobs.put('images', name, await local(Buffer.from(name)))
    expect(await names()).toEqual(['a-192.webp 10', 'b-192.webp 10'])
    expect(await blobs.remove('images', 'a-192.webp')).toBe(true)
    expect(await blobs.remove('images', 'a-192.webp')).toBe(false)
    expect(await names()).toEqual(['b-192.webp 10'])
  })
}
