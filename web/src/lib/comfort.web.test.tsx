import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

/** A tab of this browser: its own copy of the code, the same storage. */
async function tab() {
  vi.resetModules()
  const comfort = await import('./comfort.ts')
  comfort.applyComfort()
  return { ...comfort, ...(await import('../features/audio/data-choices.ts')) }
}
const kept = () => JSON.parse(localStorage.getItem('comfort') ?? '{}') as unknown

beforeEach(() => localStorage.clear())
afterEach(() => vi.unstubAllGlobals())

test('a choice in one tab keeps the choices of another', async () => {
  const first = await tab()
  const second = await tab()
  first.chooseComfort({ text: 'larger' })
  second.chooseComfort({ data: 'reduced' })
  expect(kept()).toEqual({ text: 'larger', data: 'reduced' })
  expect(document.documentElement.dataset.text).toBe('larger')
})

test('the next page applies a choice', async () => {
  const { chooseComfort } = await tab()
  chooseComfort({ text: 'large', scheme: 'dark' })
  const { dataset } = document.documentElement
  delete dataset['text']
  delete dataset['scheme']
  await tab()
  expect({ ...dataset }).toEqual({ text: 'large', scheme: 'dark' })
  chooseComfort({ text: undefined, scheme: undefined })
})

test('a choice can be taken back', async () => {
  const { chooseComfort } = await tab()
  chooseComfort({ text: 'large' })
  chooseComfort({ contrast: 'more' })
  chooseComfort({ text: undefined })
  expect(kept()).toEqual({ contrast: 'more' })
})

describe('the small recordings are played and saved', () => {
  /** Sets the browser's report of the connection, and the device's preference for less data. */
  const line = (connection: object | undefined, { reduced = false, vendor = 'Google Inc.' } = {}) => {
    vi.stubGlobal(
      'navigator',
      Object.create(navigator, { connection: { value: connection }, vendor: { value: vendor } }),
    )
    vi.stubGlobal('matchMedia', (query: string) => ({
      matches: reduced && query === '(prefers-reduced-data: reduce)',
    }))
  }

  test.each<[string, object | undefined, { reduced?: boolean }?]>([
    ['where the browser tells nothing of the line', undefined],
    ['at home', { type: 'wifi', saveData: false }],
    ['by a cable', { type: 'ethernet' }],
    ['on a fast line', { effectiveType: '4g' }],
  ])('not %s', async (_, connection, device) => {
    line(connection, device)
    expect((await tab()).prefersSmall()).toBe(false)
  })

  test.each<[string, object | undefined, { reduced?: boolean }?]>([
    ['where the browser saves data', { type: 'wifi', saveData: true }],
    ['on a slow line that nobody called metered', { effectiveType: '2g' }],
    ['on a mobile line', { type: 'cellular', saveData: false }],
    ['where the device asks for less data', undefined, { reduced: true }],
  ])('%s', async (_, connection, device) => {
    line(connection, device)
    expect((await tab()).prefersSmall()).toBe(true)
  })

  test('a person’s choice wins over the line', async () => {
    line({ type: 'cellular', saveData: true }, { reduced: true })
    const comfort = await tab()
    comfort.chooseComfort({ recordings: 'original' })
    expect(comfort.prefersSmall()).toBe(false)
    line({ type: 'wifi' })
    comfort.chooseComfort({ recordings: 'small' })
    expect(comfort.prefersSmall()).toBe(true)
  })

  test('a person’s choice of data use wins', async () => {
    line({ type: 'wifi' })
    const comfort = await tab()
    comfort.chooseComfort({ data: 'reduced' })
    expect(comfort.prefersSmall()).toBe(true)
    line({ type: 'wifi', saveData: true }, { reduced: true })
    comfort.chooseComfort({ data: 'full' })
    expect(comfort.prefersSmall()).toBe(false)
  })

  test('fetches nothing ahead with reduced data, by choice, in WebKit', async () => {
    line({ saveData: true })
    expect((await tab()).fetchesAhead()).toBe(false)
    line({ saveData: false })
    const comfort = await tab()
    expect(comfort.fetchesAhead()).toBe(true)
    comfort.chooseComfort({ ahead: 'off' })
    expect(comfort.fetchesAhead()).toBe(false)
    localStorage.clear()
    line({ saveData: false }, { vendor: 'Apple Computer, Inc.' })
    expect((await tab()).fetchesAhead()).toBe(false)
  })
})
