import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tryKernelLock } from './kernel-lock.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'lock-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const file = () => path.join(folder, 'lock')

test('refuses a second lock until the first is released', () => {
  writeFileSync(file(), 'kept')
  const first = tryKernelLock(file())!
  expect(tryKernelLock(file())).toBeUndefined()
  first.release()
  const second = tryKernelLock(file())!
  expect(second).toBeDefined()
  second.release()
  expect(spawnSync('cat', [file()], { encoding: 'utf8' }).stdout).toBe('kept')
})

test('a child with the descriptor holds the lock until killed', async () => {
  const lock = tryKernelLock(file())!
  const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', lock.descriptor] })
  lock.release()
  expect(tryKernelLock(file())).toBeUndefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
  await vi.waitUntil(() => {
    const free = tryKernelLock(file())
    free?.release()
    return free !== undefined
  })
})

test('a second release spares another file with that descriptor', () => {
  const lock = tryKernelLock(file())!
  lock.release()
  const other = openSync(file(), 'r')
  expect(other).toBe(lock.descriptor)
  lock.release()
  expect(fstatSync(other).isFile()).toBe(true)
  closeSync(other)
})

test('a file that was removed meanwhile is locked anew', () => {
  const first = tryKernelLock(file())!
  rmSync(file())
  const second = tryKernelLock(file())!
  expect(second).toBeDefined()
  expect(tryKernelLock(file())).toBeUndefined()
  first.release()
  second.release()
})

test('perl replaces a missing flock; without both, names them', () => {
  const programs = path.join(folder, 'programs')
  mkdirSync(programs)
  const script = `
    import { tryKernelLock } from ${JSON.stringify(path.join(import.meta.dirname, 'kernel-lock.ts'))}
    try { console.log(tryKernelLock(process.argv[1]) === undefined ? 'held' : 'taken') } catch (error) { console.log(error.message) }`
  const run = () =>
    spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, file()], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      env: { ...process.env, PATH: programs },
    }).stdout.trim()
  expect(run()).toMatch(/install util-linux \(flock\) or perl/)
  symlinkSync('/usr/bin/perl', path.join(programs, 'perl'))
  expect(run()).toBe('taken')
  const holder = tryKernelLock(file())!
  expect(run()).toBe('held')
  holder.release()
})
