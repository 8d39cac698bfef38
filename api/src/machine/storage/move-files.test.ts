import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskBlobStore } from './disk-blob-store.ts'
import { diskStorage } from './disk-storage.ts'
import { moveFiles } from './move-files.ts'
import type { BlobStore, StoredKind } from './blob-store.ts'
import { blobStoreWithFallback } from './configured-storage.ts'

let folders: [string, string]
let from: BlobStore
let to: BlobStore
beforeEach(async () => {
  const make = () => mkdtemp(path.join(tmpdir(), 'move-'))
  folders = [await make(), await make()]
  from = diskBlobStore(folders[0])
  to = diskBlobStore(folders[1])
})
afterEach(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const nameOf = (content: string) => `${createHash('sha256').update(content).digest('hex')}.mp3`
const write = (content: string, name = nameOf(content), kind = 'audio') =>
  writeFile(path.join(folders[0], kind, name), content)
const inside = async (index: 0 | 1) => {
  const kinds = await Promise.all(['audio', 'images'].map((kind) => readdir(path.join(folders[index], kind))))
  return kinds.flat().toSorted()
}
const move = (changed: Partial<Parameters<typeof moveFiles>[0]> = {}) => {
  const stagingArea = diskStorage(folders[1])
  return moveFiles({ from, to, stagingArea, locked: (_kind, _name, work) => work(), ...changed })
}

test('reports and does not move a damaged recording', async () => {
  await write('whole')
  await write('rotten', nameOf('sound'))
  expect(await move()).toEqual({ moved: 1, bytes: 5, damaged: [nameOf('sound')] })
  expect([await inside(0), await inside(1)]).toEqual([[nameOf('sound')], [nameOf('whole')]])
})

test('does not remove a file that reads back differently', async () => {
  await write('whole')
  const lying: BlobStore = {
    ...to,
    async put(kind, name, file) {
      await writeFile(file, 'other')
      await to.put(kind, name, file)
    },
  }
  await expect(move({ to: lying })).rejects.toThrow(/did not come back from "Local disk" as it was stored/)
  expect(await inside(0)).toEqual([nameOf('whole')])
})

test('a run aborted at any step loses nothing and resumes', async () => {
  const contents = ['one', 'two', 'three']
  for (const content of contents) await write(content)
  await write('picture', 'a-192.webp', 'images')
  const all = [...contents.map(nameOf), 'a-192.webp'].toSorted()
  for (let steps = 0; (await inside(0)).length > 0; steps += 1) {
    let left = steps % 5
    const step = <T>(work: T) => {
      if ((left -= 1) < 0) throw new Error('killed')
      return work
    }
    const dying = {
      from: { ...from, remove: (kind: StoredKind, name: string) => step(() => from.remove(kind, name))() },
      to: {
        ...to,
        put: (kind: StoredKind, name: string, file: string) => step(() => to.put(kind, name, file))(),
      },
    }
    await move(dying).catch((error: Error) => expect(error.message).toBe('killed'))
    const both = new Set([...(await inside(0)), ...(await inside(1))])
    expect([...both].toSorted()).toEqual(all)
  }
  expect(await inside(1)).toEqual(all)
  expect(await readFile(path.join(folders[1], 'audio', nameOf('two')), 'utf8')).toBe('two')
  expect(await readdir(path.join(folders[1], 'staging'))).toEqual([])
})

test('files stay readable and listed once during a move', async () => {
  await write('one')
  await write('two')
  const both = blobStoreWithFallback(to, from)
  const names = async () => {
    const found: string[] = []
    for await (const { name } of both.list('audio')) found.push(name)
    return found.toSorted()
  }
  const all = [nameOf('one'), nameOf('two')].toSorted()
  expect(await both.elsewhere()).toEqual({ place: 'Local disk', files: 2 })
  await move({
    locked: async (_kind, name, work) => {
      expect(await names()).toEqual(all)
      await work()
      const file = await both.open('audio', name)
      expect(file?.bytes).toBe(3)
      await file?.close()
    },
  })
  expect(await names()).toEqual(all)
  expect(await both.elsewhere()).toBeUndefined()
  expect(await both.remove('audio', all[0]!)).toBe(true)
  expect(await both.stat('audio', all[0]!)).toBeUndefined()
})
