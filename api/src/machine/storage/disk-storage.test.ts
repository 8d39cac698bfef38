import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskStorage } from './disk-storage.ts'
import { stagedSink } from './staging-area.ts'
import type { LeftoverChecks, Storage } from './storage.ts'

let dataDir: string
let storage: Storage
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'storage-'))
  storage = diskStorage(dataDir)
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const stage = async (text: string) => {
  const staged = await storage.stage()
  await staged.write([Buffer.from(text)])
  return staged
}
const inside = (folder: string) => readdir(path.join(dataDir, folder))

test.each(['../app-secret', 'a/b', '.hidden', '', 'a\0b', 'x'.repeat(300)])(
  '%j is no name for a file',
  async (name) => {
    await expect(storage.stat('audio', name)).rejects.toThrow(/is no name for a stored file/)
    await expect(storage.remove('audio', name)).rejects.toThrow(/is no name for a stored file/)
  },
)

test('a missing file is undefined and remove returns false', async () => {
  expect(await storage.stat('audio', 'none.mp3')).toBeUndefined()
  expect(await storage.open('audio', 'none.mp3')).toBeUndefined()
  expect(await storage.remove('audio', 'none.mp3')).toBe(false)
})

test.skipIf(!existsSync('/dev/full'))('reports a full disk; the staged file can be discarded', async () => {
  const full = diskStorage(dataDir, { openStaged: () => open('/dev/full', 'w') })
  const staged = await full.stage()
  await expect(staged.write([Buffer.alloc(10_000)])).rejects.toMatchObject({ code: 'ENOSPC' })
  await staged.discard()
  expect(await inside('staging')).toEqual([])
})

test('discard is idempotent and leaves no file', async () => {
  const staged = await stage('x')
  await staged.discard()
  await staged.discard()
  expect(await inside('staging')).toEqual([])
})

test('undo removes a settled file, keep leaves it', async () => {
  const staged = await stage('hello')
  expect(await inside('audio')).toEqual([])
  const settlement = await storage.settle(staged, 'audio', 'a.mp3')
  expect(await storage.stat('audio', 'a.mp3')).toMatchObject({ name: 'a.mp3', bytes: 5 })
  await settlement.undo()
  expect(await inside('audio')).toEqual([])
  expect(await inside('staging')).toEqual([])

  const again = await storage.settle(await stage('hello'), 'audio', 'a.mp3')
  await again.keep()
  expect(await inside('staging')).toEqual([])
  const handle = await storage.openHandle('audio', 'a.mp3')
  expect(await handle!.readFile('utf8')).toBe('hello')
  await handle!.close()
  expect(await storage.withPath('audio', 'a.mp3', (file) => readFile(file, 'utf8'))).toBe('hello')
})

test('undo never removes a file that existed before', async () => {
  await (await storage.settle(await stage('hello'), 'audio', 'a.mp3')).keep()
  const second = await storage.settle(await stage('hello'), 'audio', 'a.mp3')
  await second.undo()
  expect(await inside('audio')).toEqual(['a.mp3'])
  expect(await inside('staging')).toEqual([])
})

test.each([
  ['shorter', 'hel'],
  ['longer', 'hello and more'],
  ['as long but different', 'hexlo'],
])('replaces a standing file that is %s, also after undo', async (_, damaged) => {
  await writeFile(path.join(dataDir, 'audio', 'a.mp3'), damaged)
  const settlement = await storage.settle(await stage('hello'), 'audio', 'a.mp3')
  expect(settlement.before).toBe('damaged')
  await settlement.undo()
  expect(await readFile(path.join(dataDir, 'audio', 'a.mp3'), 'utf8')).toBe('hello')
  expect(await inside('staging')).toEqual([])
})

test('an equal standing file stays the same file', async () => {
  await (await storage.settle(await stage('hello'), 'audio', 'a.mp3')).keep()
  const before = await storage.stat('audio', 'a.mp3')
  const settlement = await storage.settle(await stage('hello'), 'audio', 'a.mp3')
  expect(settlement.before).toBe('equal')
  await settlement.keep()
  expect(await storage.stat('audio', 'a.mp3')).toEqual(before)
  expect(await inside('staging')).toEqual([])
})

test('lists and removes', async () => {
  for (const name of ['a.mp3', 'b.wav']) await (await storage.settle(await stage(name), 'audio', name)).keep()
  const names: string[] = []
  for await (const { name } of storage.list('audio')) names.push(name)
  expect(names.sort((a, b) => a.localeCompare(b))).toEqual(['a.mp3', 'b.wav'])
  expect(await storage.remove('audio', 'a.mp3')).toBe(true)
  expect(await inside('audio')).toEqual(['b.wav'])
  expect(await storage.freeBytes()).toBeGreaterThan(0)
  expect(await storage.totalBytes()).toBeGreaterThan(await storage.freeBytes())
})

test('a sink writes in order and reports its progress', async () => {
  const staged = await storage.stage()
  const told: number[] = []
  const sink = stagedSink(staged, (bytes) => told.push(bytes))
  const expected: Buffer[] = []
  for (let i = 0; i < 200; i++) {
    const chunk = Buffer.alloc(i * 37, i)
    expected.push(chunk)
    if (!sink.write(chunk)) await once(sink, 'drain')
  }
  sink.end()
  await once(sink, 'finish')
  await staged.finish()
  expect((await readFile(staged.path)).equals(Buffer.concat(expected))).toBe(true)
  expect(told.at(-1)).toBe(Buffer.concat(expected).length)
  await staged.discard()
})

const removeOrphans: LeftoverChecks['removeUnreferenced'] = (_kind, name, remove) =>
  name === 'orphan.mp3' ? remove() : Promise.resolve(false)

test('spares staged files of a running process in another container', async () => {
  const elsewhere = diskStorage(dataDir, { owner: '7-1_in-another-container' })
  const staged = await elsewhere.stage()
  await staged.write([Buffer.from('half')])
  await staged.finish()
  await elsewhere.settle(await elsewhere.stage(), 'audio', 'orphan.mp3')
  let alive = true
  const checks = { isAlive: () => Promise.resolve(alive), removeUnreferenced: removeOrphans }
  expect(await storage.clearLeftovers(checks)).toBe(0)
  expect(await inside('staging')).toHaveLength(2)
  alive = false
  expect(await storage.clearLeftovers(checks)).toBe(2)
  expect([await inside('staging'), await inside('audio')]).toEqual([[], []])
})

test('clears the leftovers of a killed process only', async () => {
  await (await storage.settle(await stage('referenced'), 'audio', 'referenced.mp3')).keep()
  const mine = await stage('mine')
  const script = `
    import { diskStorage } from ${JSON.stringify(path.join(import.meta.dirname, 'disk-storage.ts'))}
    const storage = diskStorage(${JSON.stringify(dataDir)})
    const stage = async (text) => { const staged = await storage.stage(); await staged.write([Buffer.from(text)]); return staged }
    await stage('half an upload')
    await storage.settle(await stage('orphan'), 'audio', 'orphan.mp3')
    await storage.settle(await stage('committed'), 'audio', 'committed.mp3')
    console.log('ready')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const checks = { isAlive: () => Promise.resolve(false), removeUnreferenced: removeOrphans }
  expect(await storage.clearLeftovers(checks)).toBe(0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await writeFile(path.join(dataDir, 'staging', '1-1.cut-short.note'), '')
  expect(await storage.clearLeftovers(checks)).toBe(2)
  expect((await inside('audio')).sort((a, b) => a.localeCompare(b))).toEqual([
    'committed.mp3',
    'referenced.mp3',
  ])
  expect(await inside('staging')).toEqual([path.basename(mine.path)])
  await mine.discard()
})
