import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowKey, touched, untouched } from './row-places.ts'

const uids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const lists = fc.uniqueArray(fc.constantFrom(...uids), { maxLength: 6 })
/** Successive contents of the list, and the row touched in each. */
const steps = fc.array(fc.record({ shown: lists, touch: fc.option(fc.nat({ max: 5 })) }), { maxLength: 40 })

const keysOf = (places: typeof untouched, shown: readonly string[]) =>
  shown.map((uid, at) => rowKey(places, uid, at))

test("never reuses a touched row's element for another teaching", () => {
  fc.assert(
    fc.property(steps, (history) => {
      let places = untouched
      const owners = new Map<string, string>()
      for (const { shown, touch } of history) {
        const keys = keysOf(places, shown)
        expect(new Set(keys).size).toBe(keys.length)
        for (const [at, key] of keys.entries()) expect(owners.get(key) ?? shown[at]).toBe(shown[at])
        const uid = touch === null ? undefined : shown[touch]
        if (touch === null || uid === undefined) continue
        owners.set(keys[touch]!, uid)
        places = touched(places, { uid, at: touch })
        // A touch by itself changes no key.
        expect(keysOf(places, shown)).toEqual(keys)
      }
    }),
  )
})

test('reuses elements of untouched rows by index', () => {
  const before = keysOf(untouched, ['a', 'b', 'c'])
  expect(keysOf(untouched, ['x', 'c', 'a'])).toEqual(before)
  const places = touched(untouched, { uid: 'b', at: 1 })
  const [first, own, third] = before
  expect(keysOf(places, ['x', 'b', 'y'])).toEqual(before)
  expect(keysOf(places, ['b', 'a', 'c'])).toEqual([own, '1.1', third])
  expect(keysOf(places, ['x', 'y', 'z'])).toEqual([first, '1.1', third])
})
