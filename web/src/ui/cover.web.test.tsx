import { fireEvent, render } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { Cover } from './cover.view.tsx'

const own = `/images/${'ab'.repeat(32)}-640.webp`
const drawn = '/covers/2/series/Hope%20%2F%20Joy.svg'
const show = (imageUrl?: string | null) => {
  const { container } = render(
    <Cover kind="series" title="Hope / Joy" imageUrl={imageUrl} sizes="4rem" className="h-16" />,
  )
  return {
    source: () => container.querySelector('img')?.getAttribute('src'),
    fail: () => fireEvent.error(container.querySelector('img')!),
    frame: () => container.querySelector('.aspect-square'),
  }
}

// happy-dom loads no pictures, and says of each that it has loaded and is empty.
beforeEach(() => loaded(false))
const loaded = (value: boolean) =>
  Object.defineProperty(HTMLImageElement.prototype, 'complete', { value, configurable: true })

test('shows a drawn cover without a picture', () => {
  expect(show().source()).toBe(drawn)
  expect(show(null).source()).toBe(drawn)
})

test('prefers the church’s own picture', () => {
  expect(show(own).source()).toBe(own)
})

test('falls back to the drawing, then to an empty square', () => {
  const cover = show(own)
  cover.fail()
  expect(cover.source()).toBe(drawn)
  cover.fail()
  expect(cover.source()).toBeUndefined()
  expect(cover.frame()).not.toBeNull()
})

test('notices a picture that failed before the page started', () => {
  loaded(true)
  expect(show(own).frame()?.tagName).toBe('SPAN')
})
