import { expect, test, vi } from 'vitest'

/** Comes true when a busy machine is later than the second that vitest waits by itself. */
function later(): () => boolean {
  let isSo = false
  setTimeout(() => (isSo = true), 1_300)
  return () => isSo
}

test('a shorter wait that a test asks for ends when it says', async () => {
  await expect(vi.waitUntil(() => false, 20)).rejects.toThrow('Timed out')
  await expect(vi.waitUntil(() => false, { timeout: 20 })).rejects.toThrow('Timed out')
  await expect(vi.waitFor(() => expect(1).toBe(2), { timeout: 20 })).rejects.toThrow('to be 2')
})

test('conditions that come late on a busy machine are waited for', async () => {
  const isSo = later()
  await Promise.all([
    vi.waitUntil(isSo),
    vi.waitFor(() => expect(isSo()).toBe(true), { interval: 10 }),
    expect.poll(isSo).toBe(true),
  ])
})
