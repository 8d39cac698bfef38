import type * as real from 'node:fs/promises'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import type { Crash } from '../../testing/power-cut.ts'
import { diskStorage } from './disk-storage.ts'

const disk = await vi.hoisted(async () => (await import('../../testing/power-cut.ts')).powerCutDisk())
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof real>()
  return { ...fs, ...disk.wrap(fs) }
})

const crashes: Crash[] = ['killed', 'power cut', 'power cut after names', 'power cut with torn files']
const bytes = Buffer.alloc(200_000, 'recording')
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A data folder whose process ends after so many steps of `work`; returns the point that `work` had reached. */
async function endAfter<T>(
  steps: number,
  crash: Crash,
  work: (storage: ReturnType<typeof diskStorage>, reached: (what: T) => void) => Promise<void>,
) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'durable-'))
  folders.push(dataDir)
  const storage = diskStorage(dataDir, { owner: '0-0_ended' })
  disk.watch(dataDir, steps)
  const reached: T[] = []
  await work(storage, (what) => reached.push(what)).catch(() => undefined)
  const taken = disk.steps
  disk.crash(crash)
  return { dataDir, reached, isOver: taken < steps }
}
const inside = (dataDir: string, folder: string) => readdirSync(path.join(dataDir, folder))
const read = (dataDir: string, ...names: string[]) => readFileSync(path.join(dataDir, ...names))

test.each(crashes)('settles whole or not at all at every %s', async (crash) => {
  for (let steps = 0; ; steps += 1) {
    const { dataDir, reached, isOver } = await endAfter<'settled' | 'committed'>(
      steps,
      crash,
      async (storage, tell) => {
        const staged = await storage.stage()
        await staged.write([bytes])
        const settlement = await storage.settle(staged, 'audio', 'a.mp3')
        tell('settled')
        await disk.elsewhere()
        tell('committed')
        await settlement.keep()
      },
    )
    const where = `${crash} after ${steps} steps`
    const isReferenced = reached.includes('committed')
    if (reached.includes('settled')) expect(read(dataDir, 'audio', 'a.mp3').equals(bytes), where).toBe(true)
    await diskStorage(dataDir).clearLeftovers({
      isAlive: () => Promise.resolve(false),
      removeUnreferenced: (_kind, _name, remove) => (isReferenced ? Promise.resolve(false) : remove()),
    })
    expect(inside(dataDir, 'staging'), where).toEqual([])
    expect(inside(dataDir, 'audio'), where).toEqual(isReferenced ? ['a.mp3'] : [])
    if (isReferenced) expect(read(dataDir, 'audio', 'a.mp3').equals(bytes), where).toBe(true)
    if (isOver) break
  }
})

test.each(crashes)('replaces a damaged file whole or not after a %s', async (crash) => {
  for (let steps = 0; ; steps += 1) {
    const { dataDir, reached, isOver } = await endAfter<'mended'>(steps, crash, async (storage, tell) => {
      const damaged = await storage.stage()
      await damaged.write([bytes.subarray(0, 1000)])
      await (await storage.settle(damaged, 'audio', 'a.mp3')).keep()
      const whole = await storage.stage()
      await whole.write([bytes])
      await storage.settle(whole, 'audio', 'a.mp3')
      tell('mended')
    })
    const names = inside(dataDir, 'audio')
    const lengths = names.map((name) => read(dataDir, 'audio', name).length)
    expect([[], [1000], [bytes.length]], `${crash} after ${steps} steps`).toContainEqual(lengths)
    if (reached.includes('mended')) expect(lengths).toEqual([bytes.length])
    if (isOver) break
  }
})

test.each(crashes)('acknowledged bytes of an upload survive a %s', async (crash) => {
  const parts = [bytes.subarray(0, 70_000), bytes.subarray(70_000, 70_001), bytes.subarray(70_001)]
  for (let steps = 0; ; steps += 1) {
    const { dataDir, reached, isOver } = await endAfter<number>(steps, crash, async ({ partial }, tell) => {
      for (const part of parts) tell(await partial.append('upload', Readable.from([part])))
    })
    const acknowledged = reached.at(-1) ?? 0
    const kept = inside(dataDir, 'uploads').length > 0 ? read(dataDir, 'uploads', 'upload') : Buffer.alloc(0)
    const where = `${crash} after ${steps} steps`
    expect(kept.length, where).toBeGreaterThanOrEqual(acknowledged)
    expect(kept.equals(bytes.subarray(0, kept.length)), where).toBe(true)
    if (isOver) break
  }
})
