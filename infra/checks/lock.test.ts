import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { completeLock } from '../dev/complete-lock.mjs'

interface Lock {
  packages: Record<
    string,
    { version?: string; optionalDependencies?: Record<string, string>; os?: string[]; cpu?: string[] }
  >
}

test('the lock file names the native packages of every platform', () => {
  const lock = JSON.parse(
    readFileSync(path.resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'),
  ) as Lock
  expect(completeLock(lock), 'missing; run `npm run lock`').toEqual([])
})

test('adds missing packages with their platform and leaves the others', () => {
  const lock: Lock = {
    packages: {
      '': {},
      'node_modules/tool': {
        optionalDependencies: {
          '@tool/linux-x64-musl': '1.0.0',
          '@tool/windows-64': '1.0.0',
          '@tool/linux-arm-gnueabihf': '1.0.0',
          fsevents: '2.0.0',
          '@tool/there-x64': '1.0.0',
        },
      },
      'node_modules/@tool/there-x64': { version: '1.0.0' },
    },
  }
  expect(completeLock(lock)).toHaveLength(4)
  expect(lock.packages['node_modules/@tool/linux-x64-musl']).toMatchObject({
    os: ['linux'],
    cpu: ['x64'],
    libc: ['musl'],
  })
  expect(lock.packages['node_modules/@tool/windows-64']).toMatchObject({ os: ['win32'], cpu: ['x64'] })
  expect(lock.packages['node_modules/@tool/linux-arm-gnueabihf']).toMatchObject({
    os: ['linux'],
    cpu: ['arm'],
  })
  expect(lock.packages['node_modules/fsevents']).toMatchObject({ version: '2.0.0', os: ['darwin'] })
})
