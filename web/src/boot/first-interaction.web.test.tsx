import { firstDataId } from '@fellowship/schema/pages/prerender-data'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers()
  // A page is read once: each test has one of its own.
  vi.resetModules()
})
afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

/** A page that came drawn from this, and work that may wait until it is read. */
async function page(data: object | undefined) {
  if (data)
    document.body.innerHTML = `<script type="application/json" id="${firstDataId}">${JSON.stringify(data)}</script>`
  const [{ deferUntilInteraction, watchInteractions }, { markContentPainted }] = await Promise.all([
    import('./first-interaction.ts'),
    import('./content-painted.ts'),
  ])
  if (data) watchInteractions()
  let done = false
  const reading = deferUntilInteraction()
  if (reading) void reading.then(() => (done = true))
  return { waits: reading !== undefined, isDone: () => done, deferUntilInteraction, markContentPainted }
}

const drawn = { elders: [], teachings: [] }

it('keeps nobody waiting who is signed in, or whose page came from the device', async () => {
  expect((await page({ ...drawn, visitor: false })).waits).toBe(false)
  vi.resetModules()
  expect((await page(undefined)).waits).toBe(false)
})

it('leaves a page alone that nobody touches, for a while', async () => {
  const { isDone, markContentPainted, deferUntilInteraction } = await page({ ...drawn, visitor: true })
  markContentPainted()
  await vi.advanceTimersByTimeAsync(4_900)
  expect(isDone()).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect([isDone(), deferUntilInteraction()]).toEqual([true, undefined])
})

it.each(['pointermove', 'pointerdown', 'keydown', 'wheel', 'scroll', 'focusin'])(
  'goes on at the first %s',
  async (movement) => {
    const { isDone } = await page({ ...drawn, visitor: true })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(isDone()).toBe(false)
    document.body.dispatchEvent(new Event(movement, { bubbles: true }))
    await vi.advanceTimersByTimeAsync(100)
    expect(isDone()).toBe(true)
  },
)
