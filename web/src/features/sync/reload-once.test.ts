import { expect, test, vi } from 'vitest'
import { reloadOnStaleBuild } from './reload-once.ts'

test('a page whose build is gone reloads once, and after that shows the error', () => {
  vi.stubGlobal('navigator', { onLine: true })
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  const reload = vi.fn()
  let time = 10_000_000
  const handle = reloadOnStaleBuild({ now: () => time, reload, storage })
  handle()
  handle()
  expect(reload).toHaveBeenCalledOnce()
  time += 6 * 60_000
  handle()
  expect(reload).toHaveBeenCalledTimes(2)
  vi.stubGlobal('navigator', { onLine: false })
  time += 6 * 60_000
  handle()
  expect(reload).toHaveBeenCalledTimes(2)
  vi.unstubAllGlobals()
})
