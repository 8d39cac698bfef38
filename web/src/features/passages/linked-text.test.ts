import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placePopover } from './linked-text.tsx'

const screen = { width: 1280, height: 800 }
const words = (left: number, top: number, width = 120, height = 24) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
})

test('opens under the middle of the words, 384 px wide', () => {
  expect(placePopover(words(580, 300), 200, screen)).toEqual({
    left: 448,
    width: 384,
    top: 332,
    maxHeight: 200,
  })
})

test('opens above the words if there is no room below', () => {
  expect(placePopover(words(580, 700), 200, screen)).toMatchObject({ top: 492, maxHeight: 200 })
})

test('stays 16 px from the left and the right edge', () => {
  expect(placePopover(words(0, 300), 200, screen).left).toBe(16)
  expect(placePopover(words(1200, 300), 200, screen).left).toBe(1280 - 16 - 384)
})

test('is as wide as a phone allows', () => {
  expect(placePopover(words(40, 100), 200, { width: 320, height: 568 })).toMatchObject({
    left: 16,
    width: 288,
  })
})

test('scrolls on the roomier side if it fits nowhere', () => {
  expect(placePopover(words(100, 300), 2_000, screen)).toMatchObject({ top: 332, maxHeight: 452 })
  expect(placePopover(words(100, 500), 2_000, screen)).toMatchObject({ top: 16, maxHeight: 476 })
})

test('stays 16 px inside the screen at any anchor', () => {
  const size = fc.record({
    width: fc.integer({ min: 200, max: 3000 }),
    height: fc.integer({ min: 200, max: 3000 }),
  })
  const at = fc.integer({ min: -500, max: 3500 })
  fc.assert(
    fc.property(size, at, at, fc.integer({ min: 40, max: 4000 }), (screen, left, top, height) => {
      const placed = placePopover(words(left, top), height, screen)
      expect(placed.left).toBeGreaterThanOrEqual(16)
      expect(placed.top).toBeGreaterThanOrEqual(16)
      expect(placed.left + placed.width).toBeLessThanOrEqual(screen.width - 16)
      expect(placed.top + placed.maxHeight).toBeLessThanOrEqual(screen.height - 16)
    }),
  )
})
