import { afterEach, expect, test, vi } from 'vitest'
import { fontsFetched } from './fonts-fetched.ts'

afterEach(() => {
  vi.restoreAllMocks()
  document.head.innerHTML = ''
})

/** A head that preloads these fonts, of which some have arrived before the script runs. */
function preloading(names: readonly string[], arrived: readonly string[] = []) {
  document.head.innerHTML = names
    .map((name) => `<link rel="preload" as="font" href="/assets/${name}.woff2">`)
    .join('')
  const entries = arrived.map((name) => ({ name: new URL(`/assets/${name}.woff2`, location.href).href }))
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue(entries as PerformanceEntryList)
  let done = false
  void fontsFetched().then(() => (done = true))
  const isDone = async () => {
    await new Promise((resolve) => setTimeout(resolve))
    return done
  }
  const tell = (name: string, event: string) =>
    document.querySelector(`[href="/assets/${name}.woff2"]`)!.dispatchEvent(new Event(event))
  return { isDone, tell }
}

test('waits for the last font, be it there or refused', async () => {
  const { isDone, tell } = preloading(['inter', 'serif'])
  expect(await isDone()).toBe(false)
  tell('inter', 'load')
  expect(await isDone()).toBe(false)
  tell('serif', 'error')
  expect(await isDone()).toBe(true)
})

test('does not wait for a font that arrived before', async () => {
  const { isDone, tell } = preloading(['inter', 'serif'], ['inter'])
  expect(await isDone()).toBe(false)
  tell('serif', 'load')
  expect(await isDone()).toBe(true)
})

test('waits for nothing where all have arrived, or none is preloaded', async () => {
  expect(await preloading(['inter'], ['inter']).isDone()).toBe(true)
  expect(await preloading([]).isDone()).toBe(true)
})
