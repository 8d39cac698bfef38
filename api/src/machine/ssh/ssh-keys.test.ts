import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadHostKey } from './ssh-keys.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'host-key-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('throws for an unusable stored key instead of replacing it', async () => {
  const dataDir = path.join(folder, 'damaged')
  await loadHostKey(dataDir)
  await writeFile(path.join(dataDir, 'ssh-host-key'), 'no key')
  await expect(loadHostKey(dataDir)).rejects.toThrow('Put it back from a backup')
})

test('generates one key, readable by its owner only', async () => {
  const dataDir = path.join(folder, 'kept')
  const both = await Promise.all([loadHostKey(dataDir), loadHostKey(dataDir)])
  expect(both[0]).toEqual(both[1])
  expect(await loadHostKey(dataDir)).toEqual(both[0])
  expect(both[0].fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  const file = path.join(dataDir, 'ssh-host-key')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toBe(both[0].privateKey)
})

test('generates only keys that ssh2 can read', async () => {
  for (let made = 0; made < 40; made++) await loadHostKey(path.join(folder, String(made)))
})
