import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadOnStaleBuild } from './reload-once.ts'

const reload = vi.fn()
let time = 10_000_000
let handle: () => Promise<void>

beforeEach(() => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  reload.mockReset()
  handle = reloadOnStaleBuild({ now: () => time, reload, storage })
})
afterEach(() => vi.unstubAllGlobals())

test('a page without a line does not reload: the build is not what is missing', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no line')))
  await handle()
  expect(reload).not.toHaveBeenCalled()
})

test('a page whose build is gone reloads once, and after that shows the error', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null)))
  await handle()
  await handle()
  expect(reload).toHaveBeenCalledOnce()
  time += 6 * 60_000
  await handle()
  expect(reload).toHaveBeenCalledTimes(2)
})
