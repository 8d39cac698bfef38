import { afterEach, expect, test, vi } from 'vitest'
import { hideRefusedChannels } from './browser.ts'

afterEach(() => vi.unstubAllGlobals())

test('removes channels that the browser refuses', () => {
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      constructor() {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      }
    },
  )
  hideRefusedChannels()
  expect(typeof BroadcastChannel).toBe('undefined')
})

test('leaves working channels alone', () => {
  hideRefusedChannels()
  expect(typeof BroadcastChannel).toBe('function')
})
