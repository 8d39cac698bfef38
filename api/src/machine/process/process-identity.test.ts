import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { commandOf, isRunning, isZombie, processIdentity } from './process-identity.ts'

test('is undefined for a process that does not exist', () => {
  expect(processIdentity(2 ** 22 + 1)).toBeUndefined()
  expect(isRunning('')).toBe(false)
  expect(isRunning('not-a-process')).toBe(false)
  expect(isZombie(2 ** 22 + 1)).toBe(false)
})

test('tells a reused process id by its start time', () => {
  expect(isRunning(processIdentity(process.pid)!)).toBe(true)
  expect(isRunning(`${process.pid}-1`)).toBe(false)
})

test('a process that ended is not running', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'])
  const identity = processIdentity(child.pid!)!
  expect(isRunning(identity)).toBe(true)
  expect(commandOf(child.pid!)).toContain('setInterval')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isRunning(identity)).toBe(false)
})
