import { open, mkdtemp, rm, truncate, writeFile, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readBlocks } from './read-blocks.ts'

const blockBytes = 16
const size = 40
let folder: string
let handle: FileHandle
const file = () => path.join(folder, 'recording')
const content = Buffer.from(Array.from({ length: size }, (_, at) => at))

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'read-blocks-'))
  await writeFile(file(), content)
  handle = await open(file())
})
afterEach(async () => {
  vi.useRealTimers()
  await handle.close()
  await rm(folder, { recursive: true })
})

const isInMemory = (block: Buffer | Promise<Buffer>) => block instanceof Buffer

describe('blocks of an open file', () => {
  test('a failed read of a closed file is not cached', async () => {
    const closed = await open(file())
    const blocks = readBlocks({ blockBytes })
    await closed.close()
    await expect(blocks.at(closed, 0, blockBytes)).rejects.toThrow()
    expect(isInMemory(blocks.at(handle, 0, blockBytes))).toBe(false)
    await expect(blocks.at(closed, 0, blockBytes)).rejects.toThrow()
  })

  test('reads the block of a shortened file again', async () => {
    const blocks = readBlocks({ blockBytes })
    await truncate(file(), 5)
    expect(await blocks.at(handle, 0, blockBytes)).toEqual(content.subarray(0, 5))
    await writeFile(file(), content)
    expect(await blocks.at(handle, 0, blockBytes)).toEqual(content.subarray(0, blockBytes))
  })

  test('blocks have the bytes of the file, the last one fewer', async () => {
    const blocks = readBlocks({ blockBytes })
    expect(await blocks.at(handle, 1, blockBytes)).toEqual(content.subarray(16, 32))
    expect(await blocks.at(handle, 2, 8)).toEqual(content.subarray(32))
  })

  test('simultaneous readers share one read', async () => {
    const blocks = readBlocks({ blockBytes })
    const first = blocks.at(handle, 0, blockBytes)
    expect(blocks.at(handle, 0, blockBytes)).toBe(first)
    await first
    expect(isInMemory(blocks.at(handle, 0, blockBytes))).toBe(true)
  })

  test('the one used longest ago goes first', async () => {
    const blocks = readBlocks({ blockBytes, most: 2 })
    for (const at of [0, 1]) await blocks.at(handle, at, blockBytes)
    void blocks.at(handle, 0, blockBytes)
    await blocks.at(handle, 2, 8)
    expect(isInMemory(blocks.at(handle, 0, blockBytes))).toBe(true)
    expect(isInMemory(blocks.at(handle, 1, blockBytes))).toBe(false)
  })

  test('reads another file under the same name anew', async () => {
    const blocks = readBlocks({ blockBytes })
    await blocks.at(handle, 0, blockBytes)
    const other = path.join(folder, 'other')
    await writeFile(other, Buffer.alloc(size, 7))
    const replaced = await open(other)
    expect(await blocks.at(replaced, 0, blockBytes)).toEqual(Buffer.alloc(blockBytes, 7))
    await replaced.close()
  })

  test('drops blocks after a while without requests', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const blocks = readBlocks({ blockBytes, idleMs: 1000 })
    await blocks.at(handle, 0, blockBytes)
    vi.advanceTimersByTime(1000)
    expect(isInMemory(blocks.at(handle, 0, blockBytes))).toBe(true)
    vi.advanceTimersByTime(2000)
    expect(isInMemory(blocks.at(handle, 0, blockBytes))).toBe(false)
    expect(vi.getTimerCount()).toBe(1)
  })
})
