import { afterEach, beforeEach, expect, vi } from 'vitest'

/**
 * A noisy console fails the test: whatever the product prints as an error unasked is a finding. A test that
 * expects one spies on console.error itself and checks the words.
 */
const noise: string[] = []

beforeEach(() => {
  noise.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => {
    noise.push(
      words.map((word) => (word instanceof Error ? (word.stack ?? word.message) : String(word))).join(' '),
    )
  })
})

afterEach(() => {
  const heard = noise.splice(0)
  vi.restoreAllMocks()
  expect(heard, 'console.error was called').toEqual([])
})
