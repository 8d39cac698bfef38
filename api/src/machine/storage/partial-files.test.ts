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

test.each(['../app-secret', 'a/b', '', '.'])('%j is no id of a file', async (id) => {
  await expect(storage.partial.size(id)).rejects.toThrow(/is no name/)
  await expect(storage.partial.append(id, source('x'))).rejects.toThrow(/is no name/)
})

test('a source that breaks off: what came before it counts, and it can go on from there', async () => {
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

test('no room: the error says so, the size stays right', async () => {
  const full = diskStorage(dataDir, { openStaged: () => open('/dev/full', 'w') })
  await expect(full.partial.append('one', source('abc'))).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await full.partial.size('one')).toBe(0)
})

test('nothing is cleaned away, whatever becomes of others', async () => {
  await storage.partial.append('one', source('abc'))
  expect(await storage.clearLeftovers(() => Promise.resolve(false))).toBe(0)
  expect(await storage.partial.list()).toEqual(['one'])
  await storage.partial.remove('one')
  await storage.partial.remove('one')
  expect(await storage.partial.list()).toEqual([])
})

test('as a staged file it can be put into its place, and taken out again, without being lost', async () => {
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
