import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { startServer, type ServerProcess } from '../../testing/server-process.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const mb = 1024 * 1024
let disk: string | undefined
let server: ServerProcess | undefined
afterEach(async () => {
  await server?.stop()
  if (disk !== undefined) {
    execFileSync('umount', [disk])
    await rmdir(disk)
  }
})

/** A small disk of its own, which root can make without one. */
async function smallDisk(): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'disk-'))
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=900m,mode=0755', 'tmpfs', folder])
  if (made.status === 0) return (disk = folder)
  await rmdir(folder)
  return undefined
}

/** Writes until the disk is full, but not into the reserve, which the server may give up meanwhile. */
async function fill(file: string): Promise<void> {
  const { bavail, bsize } = await statfs(path.dirname(file))
  const handle = await open(file, 'a')
  const block = Buffer.alloc(mb)
  try {
    for (let left = bavail * bsize; left > 0; left -= mb) await handle.write(block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await handle.close()
  }
}

const ready = async () => {
  const response = await fetch(`${server!.url}/api/health/ready`)
  return [response.status, await response.json()]
}

test.skipIf(process.getuid?.() !== 0)('people read and sign in on a full disk', async (context) => {
  const folder = await smallDisk()
  if (folder === undefined) return context.skip('this root may not mount')
  server = await startServer(path.join(folder, 'data'), { LOG_LEVEL: 'silent' })
  const reserve = path.join(folder, 'data/reserve')
  await vi.waitUntil(() => existsSync(reserve), { timeout: 30_000 })
  expect(await ready()).toEqual([200, { status: 'ok' }])

  await fill(path.join(folder, 'other'))
  await vi.waitUntil(() => !existsSync(reserve), { timeout: 30_000 })
  expect(await ready()).toEqual([503, { status: 'disk_full' }])
  expect((await fetch(`${server.url}/api/teachings`)).status).toBe(200)
  for (let times = 0; times < 20; times++) await server.signIn()

  await rm(path.join(folder, 'other'))
  await vi.waitUntil(async () => (await fetch(`${server!.url}/api/health/ready`)).ok, { timeout: 30_000 })
  await vi.waitUntil(() => existsSync(reserve), { timeout: 30_000 })
})
