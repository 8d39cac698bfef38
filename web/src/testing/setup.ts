import 'fake-indexeddb/auto'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'

// The first test of a page waits for its code as well; a failure need not print the page.
configure({ asyncUtilTimeout: 10_000, getElementError: (message) => new Error(message ?? 'not found') })

/** The test document has no line to a server for hints; the product treats one that never speaks as quiet. */
class QuietEventSource extends EventTarget {
  close(): void {}
}

beforeEach(() => {
  vi.stubGlobal('EventSource', QuietEventSource)
  // Browsers without the interface have no such member; the test document has one that is null.
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })
})

afterEach(cleanup)
