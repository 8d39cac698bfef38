import { aTeaching } from '@fellowship/schema/testing/builders'
import fc, { type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'
import { nextOf } from './next-of.ts'

const teachings = (uids: readonly string[]) => uids.map((uid) => aTeaching({ uid }))
const uid: Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e')

test('skips all but the open one if none is playable', () => {
  expect(nextOf(teachings(['a', 'b', 'c']), 'b', () => false)).toEqual({ next: undefined, skipped: 2 })
  expect(nextOf([], 'b', () => true)).toEqual({ next: undefined, skipped: 0 })
})

test('finds the first playable one and counts the skipped', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(uid),
      fc.option(uid, { nil: undefined }),
      fc.uniqueArray(uid),
      (listed, open, playable) => {
        const canPlay = (each: { uid: string }) => playable.includes(each.uid)
        const { next, skipped } = nextOf(teachings(listed), open, canPlay)
        const waiting = listed.filter((each) => each !== open)
        expect(next?.uid).toBe(waiting.find((each) => playable.includes(each)))
        expect(waiting.slice(0, skipped).some((each) => playable.includes(each))).toBe(false)
        expect(next ? waiting[skipped] : waiting.length).toBe(next ? next.uid : skipped)
      },
    ),
  )
})
