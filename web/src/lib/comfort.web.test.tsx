import { beforeEach, expect, test, vi } from 'vitest'

/** A tab of this browser: its own copy of the code, the same storage. */
async function tab() {
  vi.resetModules()
  const comfort = await import('./comfort.ts')
  comfort.applyComfort()
  return comfort
}
const kept = () => JSON.parse(localStorage.getItem('comfort') ?? '{}') as unknown

beforeEach(() => localStorage.clear())

test('a choice in one tab does not undo what was chosen in another one meanwhile', async () => {
  const first = await tab()
  const second = await tab()
  first.chooseComfort({ text: 'larger' })
  second.chooseComfort({ data: 'reduced' })
  expect(kept()).toEqual({ text: 'larger', data: 'reduced' })
  expect(document.documentElement.dataset.text).toBe('larger')
})

test('a choice can be taken back', async () => {
  const { chooseComfort } = await tab()
  chooseComfort({ text: 'large' })
  chooseComfort({ contrast: 'more' })
  chooseComfort({ text: undefined })
  expect(kept()).toEqual({ contrast: 'more' })
})
