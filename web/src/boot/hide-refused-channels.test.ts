import { afterEach, expect, test, vi } from 'vitest'
import { hideRefusedChannels } from './hide-refused-channels.ts'

afterEach(() => vi.unstubAllGlobals())

test('takes away a channel that cannot be made', () => {
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

test('leaves one that works', () => {
  hideRefusedChannels()
  expect(typeof BroadcastChannel).toBe('function')
})
