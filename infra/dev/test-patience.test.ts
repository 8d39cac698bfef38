import { expect, test, vi } from 'vitest'

/** Comes true when a busy machine is later than the second that vitest waits by itself. */
function later(): () => boolean {
  let isSo = false
  setTimeout(() => (isSo = true), 1_300)
  return () => isSo
}

test('a shorter timeout of a test applies', async () => {
  await expect(vi.waitUntil(() => false, 20)).rejects.toThrow('Timed out')
  await expect(vi.waitUntil(() => false, { timeout: 20 })).rejects.toThrow('Timed out')
  await expect(vi.waitFor(() => expect(1).toBe(2), { timeout: 20 })).rejects.toThrow('to be 2')
})

test('late conditions are awaited', async () => {
  const isSo = later()
  await Promise.all([
    vi.waitUntil(isSo),
    vi.waitFor(() => expect(isSo()).toBe(true), { interval: 10 }),
    expect.poll(isSo).toBe(true),
  ])
})
