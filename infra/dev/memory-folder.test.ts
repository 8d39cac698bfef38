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

test('tests run on the disk without a memory folder', () => {
  expect(memoryFolder({ base: path.join(base, 'absent'), roomBytes: 1 })).toBeUndefined()
})

test('a memory folder without enough room is unused', () => {
  expect(memoryFolder({ base, roomBytes: 1e18 })).toBeUndefined()
  expect(existsSync(ours())).toBe(false)
})

test('a memory folder without file attributes is unused', () => {
  const program = path.join(base, 'python')
  writeFileSync(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  expect(memoryFolder({ base, roomBytes: 1, python: program })).toBeUndefined()
  expect(existsSync(ours())).toBe(false)
})

test('a world-writable memory folder is made and removed', () => {
  const folder = memoryFolder({ base, roomBytes: 1, python: path.join(base, 'absent') })!
  expect(folder).toBe(ours())
  expect(statSync(folder).mode & 0o7777).toBe(0o1777)
  mkdirSync(path.join(folder, 'left/behind'), { recursive: true })
  removeMemoryFolder(folder)
  expect(existsSync(folder)).toBe(false)
})

test('removes the folder of a killed run only', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const killed = path.join(base, `fellowship-tests-${pid}`)
  const running = path.join(base, `fellowship-tests-${process.ppid}`)
  const other = path.join(base, 'fellowship-tests-of-someone')
  for (const folder of [killed, running, other]) mkdirSync(path.join(folder, 'data'), { recursive: true })
  memoryFolder({ base, roomBytes: 1 })
  expect([killed, running, other].map((folder) => existsSync(folder))).toEqual([false, true, true])
})

const ours = () => path.join(base, `fellowship-tests-${process.pid}`)
