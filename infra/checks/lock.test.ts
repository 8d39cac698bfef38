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

/**
 * Tools of developers on other platforms, by the beginning of their name: the registry at which the lock file was written
 * does not serve them. `npm run lock` at one that does adds their checksums, and takes nothing for granted.
 */
const withoutChecksum: Readonly<Record<string, string>> = {
  '@oxc-parser/binding-':
    'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc',
  '@oxfmt/binding-':
    'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-arm64-musl linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu linux-x64-musl openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc',
  '@oxlint-tsgolint/': 'darwin-arm64 darwin-x64 win32-arm64 win32-x64',
  '@oxlint/binding-':
    'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-arm64-musl linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu linux-x64-musl openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc',
  '@rollup/rollup-':
    'android-arm-eabi android-arm64 android-x64 darwin-arm64 darwin-x64 freebsd-arm64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-arm64-musl linux-loong64-gnu linux-loong64-musl linux-ppc64-gnu linux-ppc64-musl linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu linux-x64-musl openbsd-x64 openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-gnu win32-x64-msvc',
  '@tailwindcss/oxide-':
    'android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf wasm32-wasi win32-arm64-msvc win32-x64-msvc',
  '@turbo/': 'darwin-64 darwin-arm64 windows-64 windows-arm64',
}

test('every package has a checksum, but for the named tools of other platforms', () => {
  const named = Object.entries(withoutChecksum).flatMap(([tool, platforms]) =>
    platforms.split(' ').map((platform) => `node_modules/${tool}${platform}`),
  )
  expect(withoutIntegrity(lockFile()).filter((place) => !named.includes(place))).toEqual([])
})

test('what is installed where releases and tests are made has a checksum', () => {
  const { packages } = lockFile()
  const unchecked = withoutIntegrity({ packages }).filter((place) => {
    const { dev, optional, os = [], cpu = [], libc = [] } = packages[place]!
    // Releases and tests are made on Linux with glibc.
    const isInstalledHere =
      (os.length === 0 || os.includes('linux')) &&
      cpu.some((each) => ['x64', 'arm64'].includes(each)) &&
      (libc.length === 0 || libc.includes('glibc'))
    return !dev || !optional || isInstalledHere
  })
  expect(unchecked).toEqual([])
})

test('the lock file names no registry, so that each machine uses its own', () => {
  const named = Object.values(lockFile().packages).filter(({ resolved }) => resolved?.includes('://'))
  expect(named).toEqual([])
})

test('adds the checksums that the registry knows, and stops asking one that knows none', async () => {
  const missing = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`node_modules/@tool/p${at}`, { version: '1.0.0' }]),
    )
  const lock: Lock = {
    packages: {
      '': {},
      web: { version: '0.0.0' },
      'node_modules/web': { link: true },
      'node_modules/a/node_modules/@tool/b': { version: '2.0.0' },
      'node_modules/known': { version: '1.0.0', integrity: 'sha512-old' },
    },
  }
  expect(await addIntegrity(lock, async (wanted) => `sha512-${wanted}`)).toBe(1)
  expect(lock.packages['node_modules/a/node_modules/@tool/b']!.integrity).toBe('sha512-@tool/b@2.0.0')
  expect(lock.packages['node_modules/known']!.integrity).toBe('sha512-old')
  expect(withoutIntegrity(lock)).toEqual([])
  let asked = 0
  const ask = async () => {
    asked += 1
    return undefined
  }
  expect(await addIntegrity({ packages: missing(50) }, ask)).toBe(0)
  expect(asked).toBe(10)
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
