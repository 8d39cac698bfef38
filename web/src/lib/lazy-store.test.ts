import { expect, test } from 'vitest'
import { lazyStore, makeStore } from './lazy-store.ts'

test('stops notifying after unsubscribing', () => {
  const store = makeStore(0)
  const seen: number[] = []
  const unsubscribe = store.subscribe(() => seen.push(store.snapshot()))
  store.set(1)
  unsubscribe()
  store.set(2)
  expect([seen, store.snapshot()]).toEqual([[1], 2])
})

test('starts once, and again after a failed start', async () => {
  let starts = 0
  const store = lazyStore('initial', async (set) => {
    starts += 1
    if (starts === 1) throw new Error('offline')
    set('loaded')
  })
  await Promise.all([store.ready(), store.ready()])
  expect([starts, store.snapshot()]).toEqual([1, 'initial'])
  await store.ready()
  await store.ready()
  expect([starts, store.snapshot()]).toEqual([2, 'loaded'])
})
