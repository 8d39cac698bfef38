import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryFolder, removeMemoryFolder } from './memory-folder.mjs'

let base: string
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'memory-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('without such a place the tests run on the disk', () => {
  expect(memoryFolder({ base: path.join(base, 'absent'), roomBytes: 1 })).toBeUndefined()
})

test('a place with too little room is not used, and nothing is left in it', () => {
  expect(memoryFolder({ base, roomBytes: 1e18 })).toBeUndefined()
  expect(existsSync(ours())).toBe(false)
})

test('a place that does not keep the attributes of files is not used, and nothing is left in it', () => {
  const program = path.join(base, 'python')
  writeFileSync(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  expect(memoryFolder({ base, roomBytes: 1, python: program })).toBeUndefined()
  expect(existsSync(ours())).toBe(false)
})

test('without Python, and so without Swift, gives a folder that all users can write to, and removes it', () => {
  const folder = memoryFolder({ base, roomBytes: 1, python: path.join(base, 'absent') })!
  expect(folder).toBe(ours())
  expect(statSync(folder).mode & 0o7777).toBe(0o1777)
  mkdirSync(path.join(folder, 'left/behind'), { recursive: true })
  removeMemoryFolder(folder)
  expect(existsSync(folder)).toBe(false)
})

test('removes the folder of a run that was killed, and keeps that of one that runs', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const killed = path.join(base, `fellowship-tests-${pid}`)
  const running = path.join(base, `fellowship-tests-${process.ppid}`)
  const other = path.join(base, 'fellowship-tests-of-someone')
  for (const folder of [killed, running, other]) mkdirSync(path.join(folder, 'data'), { recursive: true })
  memoryFolder({ base, roomBytes: 1 })
  expect([killed, running, other].map((folder) => existsSync(folder))).toEqual([false, true, true])
})

const ours = () => path.join(base, `fellowship-tests-${process.pid}`)
