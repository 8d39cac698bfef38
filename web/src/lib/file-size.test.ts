import { expect, test } from 'vitest'
import { fileSize } from './file-size.ts'

test.each([
  [0, '1 kB'],
  [640_000, '640 kB'],
  [21_400_000, '21 MB'],
  [999_600_000, '1.0 GB'],
  [1_440_000_000, '1.4 GB'],
])('%i bytes are %s', (bytes, words) => expect(fileSize(bytes)).toBe(words))
