import 'fake-indexeddb/auto'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeEach } from 'vitest'

// The first test of a page also waits for its code to load; a failure need not print the whole document.
configure({
  asyncUtilTimeout: Number(process.env['TEST_PATIENCE'] ?? 45_000),
  getElementError: (message) => new Error(message ?? 'not found'),
})

/** happy-dom has no EventSource; one that never emits is like a server without changes. */
class QuietEventSource extends EventTarget {
  close(): void {}
}

// Not by vi.stubGlobal: pages that outlive their test would miss it once a file removes its stubs.
Object.assign(globalThis, { EventSource: QuietEventSource })

beforeEach(() => {
  // happy-dom has `locks: null`; browsers without the Web Locks API have no such member.
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })
})

// happy-dom's audio element answers that it can play nothing.
HTMLMediaElement.prototype.canPlayType = () => 'maybe'

afterEach(cleanup)

/**
 * happy-dom ends when nothing waits any more. It aborts the unfinished work of a page, which would then wait to retry,
 * without end on a busy machine.
 */
afterAll(() => {
  const never = () => 0
  Object.assign(globalThis, {
    setTimeout: never,
    setInterval: never,
    setImmediate: never,
    requestAnimationFrame: never,
    fetch: () => new Promise<never>(() => {}),
  })
})
