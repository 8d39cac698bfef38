import { describe, expect, test } from 'vitest'
import { mayDownload } from './download-guard.ts'

describe('mayDownload', () => {
  test('ignores a second click on a recording within 5 s', () => {
    expect(mayDownload('a', 10_000)).toBe(true)
    expect(mayDownload('a', 14_999)).toBe(false)
    expect(mayDownload('b', 14_999)).toBe(true)
    expect(mayDownload('a', 15_000)).toBe(true)
  })
})
