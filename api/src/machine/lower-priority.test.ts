import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import path from 'node:path'
import { expect, test } from 'vitest'

const nobody = 65_534

/** The niceness that a process with this one is left with. As an ordinary user, who may only lower it. */
function nicenessAfter(before: number, asked: number): string {
  const module = pathToFileURL(path.join(import.meta.dirname, 'lower-priority.ts')).href
  const script = `
    const os = await import('node:os')
    const { lowerPriority } = await import(${JSON.stringify(module)})
    os.setPriority(${before})
    if (process.getuid() === 0) process.setuid(${nobody})
    lowerPriority(${asked})
    console.log(os.getPriority())`
  const args = ['--import', 'tsx', '--input-type=module', '-e', script]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
}

test('continues if the system forbids another priority', () => {
  expect(nicenessAfter(10, 5)).toBe('10')
})

test('lowers the priority', () => {
  expect(nicenessAfter(5, 10)).toBe('10')
})
