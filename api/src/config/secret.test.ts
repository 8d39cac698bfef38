import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadSecret } from './secret.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'secret-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

test('refuses a stored secret that is too short', async () => {
  await writeFile(path.join(dataDir, 'app-secret'), 'x\n')
  await expect(loadSecret({ secret: undefined, dataDir })).rejects.toThrow(/holds no usable secret/)
})

test('generates one secret, readable by its owner only', async () => {
  const [first, second] = await Promise.all([
    loadSecret({ secret: undefined, dataDir }),
    loadSecret({ secret: undefined, dataDir }),
  ])
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(second).toBe(first)
  expect(await loadSecret({ secret: undefined, dataDir })).toBe(first)
  expect((await stat(path.join(dataDir, 'app-secret'))).mode & 0o777).toBe(0o600)
  expect(await readdir(dataDir)).toEqual(['app-secret'])
})

test('narrows the mode of a copied secret again', async () => {
  await loadSecret({ secret: undefined, dataDir })
  await chmod(path.join(dataDir, 'app-secret'), 0o644)
  await loadSecret({ secret: undefined, dataDir })
  expect((await stat(path.join(dataDir, 'app-secret'))).mode & 0o777).toBe(0o600)
})

test('uses APP_SECRET and writes no file', async () => {
  const secret = 'x'.repeat(40)
  expect(await loadSecret({ secret, dataDir })).toBe(secret)
  expect(await readdir(dataDir)).toEqual([])
})
