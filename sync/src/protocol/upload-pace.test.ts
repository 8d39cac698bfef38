import { expect, test } from 'vitest'
import { nextRequestBytes, progressOf, rateAfter, requestSize } from './upload-pace.ts'

const mebibyte = 1024 * 1024

test.each([
  ['unknown', 0, 0.25],
  ['a slow connection', 20_000, 0.25],
  ['exactly enough for two', (2 * mebibyte) / 8, 2],
  ['just below two', (2 * mebibyte) / 8 - 1, 1],
  ['a fast connection', 400_000, 3],
  ['fibre', 50_000_000, 5],
])('%s: %i B/s gives requests of %f MiB', (_, rate, mebibytes) => {
  expect(nextRequestBytes(rate)).toBe(mebibytes * mebibyte)
})

test('halves refused requests down to 256 KiB', () => {
  const fibre = 50_000_000
  const size = requestSize()
  const sent: number[] = []
  for (let bytes = size.next(fibre); ; bytes = size.next(fibre)) {
    sent.push(bytes / mebibyte)
    if (!size.refused(bytes)) break
  }
  expect(sent).toEqual([5, 2.5, 1.25, 0.625, 0.3125, 0.25])
  expect(size.next(fibre)).toBe(mebibyte / 4)
})

test('the last bytes of a file are not measured', () => {
  const size = requestSize()
  expect(size.refused(2 * mebibyte)).toBe(true)
  expect(size.refused(100)).toBe(false)
  expect(size.next(50_000_000)).toBe(mebibyte)
})

test('smooths the measured speed', () => {
  expect(rateAfter(0, 1000, 500)).toBe(2000)
  const slower = rateAfter(2000, 1000, 1000)
  expect(slower).toBeGreaterThan(1000)
  expect(slower).toBeLessThan(2000)
  expect(rateAfter(2000, 1000, 0)).toBeGreaterThan(2000)
})

test('shows 100 % only when all is acknowledged', () => {
  expect(progressOf({ acknowledged: 999, size: 1000, rate: 0 })).toEqual({
    bytes: 999,
    total: 1000,
    percent: 99,
    rate: undefined,
    secondsLeft: undefined,
  })
  expect(progressOf({ acknowledged: 500, size: 1000, rate: 200 })).toMatchObject({
    percent: 50,
    secondsLeft: 3,
  })
  expect(progressOf({ acknowledged: 1000, size: 1000, rate: 200 })).toMatchObject({
    percent: 100,
    secondsLeft: 0,
  })
})
