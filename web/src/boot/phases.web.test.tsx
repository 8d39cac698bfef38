import { prerenderDataId } from '@fellowship/schema/pages/prerender-data'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers()
  // The module has state for one page, so each test imports it again.
  vi.resetModules()
})
afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

/** A page prerendered from `data`, and work deferred on it. */
async function page(data: object | undefined) {
  if (data)
    document.body.innerHTML = `<script type="application/json" id="${prerenderDataId}">${JSON.stringify(data)}</script>`
  const { deferUntilInteraction, markContentPainted, watchInteractions } = await import('./phases.ts')
  if (data) watchInteractions()
  let done = false
  const reading = deferUntilInteraction()
  if (reading) void reading.then(() => (done = true))
  return { waits: reading !== undefined, isDone: () => done, deferUntilInteraction, markContentPainted }
}

const prerendered = { elders: [], teachings: [] }

test('defers nothing for signed-in users and unrendered pages', async () => {
  expect((await page({ ...prerendered, visitor: false })).waits).toBe(false)
  vi.resetModules()
  expect((await page(undefined)).waits).toBe(false)
})

test('resolves after five seconds without an interaction', async () => {
  const { isDone, markContentPainted, deferUntilInteraction } = await page({ ...prerendered, visitor: true })
  markContentPainted()
  await vi.advanceTimersByTimeAsync(4_900)
  expect(isDone()).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect([isDone(), deferUntilInteraction()]).toEqual([true, undefined])
})

test.each(['pointermove', 'pointerdown', 'keydown', 'wheel', 'scroll', 'focusin'])(
  'resolves at the first %s',
  async (movement) => {
    const { isDone } = await page({ ...prerendered, visitor: true })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(isDone()).toBe(false)
    document.body.dispatchEvent(new Event(movement, { bubbles: true }))
    await vi.advanceTimersByTimeAsync(100)
    expect(isDone()).toBe(true)
  },
)
