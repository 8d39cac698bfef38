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

test('a kept secret that is too short stops with a sentence', async () => {
  await writeFile(path.join(dataDir, 'app-secret'), 'x\n')
  await expect(loadSecret({ secret: undefined, dataDir })).rejects.toThrow(/holds no usable secret/)
})

test('is made once, readable by its owner alone', async () => {
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

test('a mode that a copy has widened is narrowed again', async () => {
  await loadSecret({ secret: undefined, dataDir })
  await chmod(path.join(dataDir, 'app-secret'), 0o644)
  await loadSecret({ secret: undefined, dataDir })
  expect((await stat(path.join(dataDir, 'app-secret'))).mode & 0o777).toBe(0o600)
})

test('APP_SECRET wins and nothing is written', async () => {
  const secret = 'x'.repeat(40)
  expect(await loadSecret({ secret, dataDir })).toBe(secret)
  expect(await readdir(dataDir)).toEqual([])
})
