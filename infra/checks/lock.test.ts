import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { addIntegrity, completeLock, withoutIntegrity } from '../dev/complete-lock.mjs'

interface Lock {
  packages: Record<
    string,
    {
      version?: string
      integrity?: string
      resolved?: string
      link?: boolean
      dev?: boolean
      optional?: boolean
      optionalDependencies?: Record<string, string>
      os?: string[]
      cpu?: string[]
      libc?: string[]
    }
  >
}

const lockFile = () =>
  JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package-lock.json'), 'utf8')) as Lock

test('every package has a checksum', () => {
  expect(withoutIntegrity(lockFile())).toEqual([])
})

test('the lock file names no registry', () => {
  const named = Object.values(lockFile().packages).filter(({ resolved }) => resolved?.includes('://'))
  expect(named).toEqual([])
})

test('adds missing checksums and changes no version', () => {
  const lock: Lock = {
    packages: {
      '': {},
      web: { version: '0.0.0' },
      'node_modules/web': { link: true },
      'node_modules/a/node_modules/@tool/b': { version: '2.0.0' },
      'node_modules/other': { version: '1.0.0' },
      'node_modules/known': { version: '1.0.0', integrity: 'sha512-old' },
    },
  }
  const added = addIntegrity(lock, {
    packages: {
      'node_modules/a/node_modules/@tool/b': { version: '2.0.0', integrity: 'sha512-b' },
      'node_modules/other': { version: '1.0.1', integrity: 'sha512-other' },
      'node_modules/known': { version: '1.0.0', integrity: 'sha512-new' },
    },
  })
  expect(added).toBe(1)
  expect(lock.packages['node_modules/a/node_modules/@tool/b']!.integrity).toBe('sha512-b')
  expect(lock.packages['node_modules/known']!.integrity).toBe('sha512-old')
  expect(withoutIntegrity(lock)).toEqual(['node_modules/other'])
})

test('the lock file names the native packages of every platform', () => {
  const lock = lockFile()
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
