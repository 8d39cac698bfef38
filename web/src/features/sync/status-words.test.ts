import { describe, expect, test } from 'vitest'
import type { DeviceSync } from './sync.device.ts'
import { ago, statusWords } from './status-words.ts'

const minute = 60_000
const now = 100 * 24 * 60 * minute
const calm = { syncing: false, failure: undefined, unreachable: false, failedAt: undefined }
const device = (syncedAt: number | undefined, status: Partial<DeviceSync['status']> = {}): DeviceSync => ({
  status: { ...calm, ...status },
  syncedAt,
  cursor: undefined,
  trouble: undefined,
  inMemory: false,
})
const noAnswer = { failure: 'No connection.', unreachable: true }
const refused = { failure: 'The server is being restored.', unreachable: false }

describe('the status', () => {
  test('a failed sync is not up to date', () => {
    expect(statusWords(device(now - 180 * minute, { ...noAnswer, failedAt: now }), now)).toBe(
      'Offline. Last updated 3 hours ago',
    )
    expect(statusWords(device(now - minute, { ...refused, failedAt: now }), now)).toBe(
      'Could not update: The server is being restored.',
    )
  })

  test('shows a failure after the clock was set back', () => {
    const today = Date.now()
    const tomorrow = today + 24 * 60 * minute
    expect(statusWords(device(tomorrow, { ...noAnswer, failedAt: today }), today)).toBe(
      'Offline. Last updated some time ago',
    )
  })

  test('is offline if the browser has no network', () => {
    const before = device(now - minute, { syncing: true })
    expect(statusWords(before, now, now - 1_000)).toBe('Offline. Last updated 1 minute ago')
    expect(statusWords(device(undefined), now, now)).toBe('Offline. Nothing is saved yet')
    const refusedBefore = device(now - 5 * minute, { ...refused, failedAt: now - minute })
    expect(statusWords(refusedBefore, now, now - 1_000)).toBe('Offline. Last updated 5 minutes ago')
  })

  test('a later answer ends the offline state', () => {
    expect(statusWords(device(now), now, now - 1_000)).toBe('Up to date, just now')
  })

  test('failing attempts are not shown as updating', () => {
    const trying = device(now - 5 * minute, { ...noAnswer, failedAt: now - minute, syncing: true })
    expect(statusWords(trying, now)).toBe('Offline. Last updated 5 minutes ago')
  })

  test('claims nothing before the first answer of the server', () => {
    expect(statusWords(device(undefined), now)).toBe('')
    expect(statusWords(device(undefined, { ...noAnswer, failedAt: now }), now)).toBe(
      'Offline. Nothing is saved yet',
    )
  })

  test('forgets a failure after another tab has synced', () => {
    expect(statusWords(device(now, { ...noAnswer, failedAt: now - minute }), now)).toBe(
      'Up to date, just now',
    )
  })
})

test.each([
  [-61_000, 'some time ago'],
  [-59_000, 'just now'],
  [59_000, 'just now'],
  [minute, '1 minute ago'],
  [2 * minute, '2 minutes ago'],
  [61 * minute, '1 hour ago'],
  [47 * 60 * minute, '1 day ago'],
  [48 * 60 * minute, '2 days ago'],
  [-5_000, 'just now'],
])('%i ms is %s', (ms, words) => expect(ago(ms)).toBe(words))
