import { afterEach, beforeEach, expect, vi } from 'vitest'

/**
 * An unexpected console.error fails the test. A test that expects one spies on console.error itself and checks the
 * message.
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
  const printed = noise.splice(0)
  vi.restoreAllMocks()
  expect(printed, 'console.error was called').toEqual([])
})
