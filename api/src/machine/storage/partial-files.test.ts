import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskStorage } from './disk-storage.ts'
import type { Storage } from './storage.ts'

let dataDir: string
let storage: Storage
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'partial-'))
  storage = diskStorage(dataDir)
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const inside = (folder: string) => readdir(path.join(dataDir, folder))
const source = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)))

test.each(['../app-secret', 'a/b', '', '.'])('refuses %j as an id', async (id) => {
  await expect(storage.partial.size(id)).rejects.toThrow(/is no name/)
  await expect(storage.partial.append(id, source('x'))).rejects.toThrow(/is no name/)
})

test('stores the part before an error and resumes', async () => {
  async function* broken() {
    yield Buffer.from('abc')
    await new Promise((resolve) => setTimeout(resolve, 20))
    throw new Error('the line broke')
  }
  await expect(storage.partial.append('one', Readable.from(broken()))).rejects.toThrow('the line broke')
  expect(await storage.partial.size('one')).toBe(3)
  expect(await storage.partial.append('one', source('de', 'f'))).toBe(6)
  expect(await readFile(path.join(dataDir, 'uploads/one'), 'utf8')).toBe('abcdef')
})

test('throws on a full disk and reports the right size', async () => {
  const full = diskStorage(dataDir, { openStaged: () => open('/dev/full', 'w') })
  await expect(full.partial.append('one', source('abc'))).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await full.partial.size('one')).toBe(0)
})

test('clearLeftovers touches no partial file', async () => {
  await storage.partial.append('one', source('abc'))
  expect(
    await storage.clearLeftovers({
      isAlive: () => Promise.resolve(false),
      removeUnreferenced: (_kind, _name, remove) => remove(),
    }),
  ).toBe(0)
  expect(await storage.partial.list()).toEqual(['one'])
  await storage.partial.remove('one')
  await storage.partial.remove('one')
  expect(await storage.partial.list()).toEqual([])
})

test('staging, settling and undoing leave the partial file intact', async () => {
  await storage.partial.append('one', source('abc'))
  const staged = await storage.stagePartial('one')
  expect(staged.bytes).toBe(3)
  const settlement = await storage.settle(staged, 'audio', 'abc.mp3')
  expect(await inside('audio')).toEqual(['abc.mp3'])
  await settlement.undo()
  await staged.discard()
  expect([await inside('audio'), await inside('staging')]).toEqual([[], []])
  expect(await storage.partial.size('one')).toBe(3)
})
