import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeUpNext, upNextLimit, upNextOrder, type UpNextAction, type UpNextEntry } from './up-next.ts'

/** Carries out actions one after the other. */
function after(...actions: UpNextAction[]): readonly UpNextEntry[] {
  return actions.reduce<readonly UpNextEntry[]>((entries, action, at) => written(entries, action, at + 1), [])
}

function written(entries: readonly UpNextEntry[], action: UpNextAction, now: number): readonly UpNextEntry[] {
  const rows = new Map(entries.map((entry) => [entry.uid, entry]))
  for (const entry of changeUpNext(entries, action, now)) rows.set(entry.uid, entry)
  return [...rows.values()]
}

const add = (...uids: string[]): UpNextAction => ({ type: 'addToEnd', uids })
const playNext = (...uids: string[]): UpNextAction => ({ type: 'playNext', uids })
const remove = (...uids: string[]): UpNextAction => ({ type: 'remove', uids })
const move = (uid: string, before: string | null): UpNextAction => ({ type: 'move', uid, before })

describe('changes nothing', () => {
  const list = after(add('a', 'b', 'c'))
  test.each<[string, UpNextAction]>([
    ['to add what is there', add('a', 'c')],
    ['to move what is not there', move('x', 'a')],
    ['to move to where it is', move('b', 'c')],
    ['to move before itself', move('b', 'b')],
    ['to move the last to the end', move('c', null)],
    ['to remove what is not there', remove('x')],
    ['to put back what was not removed', { type: 'putBack', uids: ['a', 'x'] }],
  ])('%s', (_, action) => expect(changeUpNext(list, action, 9)).toEqual([]))
})

test('holds 500 teachings and still moves them', () => {
  const many = Array.from({ length: upNextLimit + 1 }, (_, at) => `t${at}`)
  const full = after(add(...many))
  expect(upNextOrder(full)).toEqual(many.slice(0, upNextLimit))
  expect(changeUpNext(full, add('other'), 9)).toEqual([])
  expect(changeUpNext(full, playNext('other'), 9)).toEqual([])
  expect(upNextOrder(written(full, playNext('t7'), 9))[0]).toBe('t7')
})

test.each<[string, UpNextAction[], string[]]>([
  ['added stand at the end', [add('a'), add('b', 'c')], ['a', 'b', 'c']],
  ['added twice stand once, where they were', [add('a', 'b', 'a'), add('b', 'c', 'a')], ['a', 'b', 'c']],
  [
    'played next stand at the front, in their order',
    [add('a', 'b'), playNext('c', 'd')],
    ['c', 'd', 'a', 'b'],
  ],
  ['played next move to the front', [add('a', 'b', 'c'), playNext('c', 'b')], ['c', 'b', 'a']],
  ['moved up', [add('a', 'b', 'c'), move('c', 'b')], ['a', 'c', 'b']],
  ['moved down', [add('a', 'b', 'c'), move('a', 'c')], ['b', 'a', 'c']],
  ['moved to the end', [add('a', 'b', 'c'), move('a', null)], ['b', 'c', 'a']],
  ['moved before one that is gone', [add('a', 'b', 'c'), remove('c'), move('a', 'c')], ['b', 'a']],
  ['removed and added again stand at the end', [add('a', 'b'), remove('a'), add('a')], ['b', 'a']],
  [
    'put back return to their places',
    [add('a', 'b', 'c'), remove('a', 'b', 'c'), { type: 'putBack', uids: ['a', 'b', 'c'] }],
    ['a', 'b', 'c'],
  ],
])('%s', (_, actions, expected) => expect(upNextOrder(after(...actions))).toEqual(expected))

test('a later change wins despite a clock set back', () => {
  const [entry] = after(add('a'))
  const [removed] = changeUpNext([{ ...entry!, changedAt: 5000 }], remove('a'), 10)
  expect(removed).toMatchObject({ removed: true, changedAt: 5001 })
})

test('entries with the same key are in the order of their ids, capitals first', () => {
  const entries = ['b', 'a', 'B'].map((uid) => ({ uid, order: 'a1', removed: false, changedAt: 1 }))
  expect(upNextOrder(entries)).toEqual(['B', 'a', 'b'])
})

test('between two entries with the same key there is room', () => {
  const twins = ['a', 'b', 'c'].map((uid) => ({ uid, order: 'a1', removed: false, changedAt: 1 }))
  expect(upNextOrder(written(twins, move('c', 'b'), 2))).toEqual(['a', 'c', 'b'])
  expect(upNextOrder(written(twins, add('d'), 2))).toEqual(['a', 'b', 'c', 'd'])
})

const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const uids = fc.array(uid, { maxLength: 6 })
const action: fc.Arbitrary<UpNextAction> = fc.oneof(
  fc.record({ type: fc.constant('playNext' as const), uids }),
  fc.record({ type: fc.constant('addToEnd' as const), uids }),
  fc.record({ type: fc.constant('move' as const), uid, before: fc.option(uid) }),
  fc.record({ type: fc.constant('remove' as const), uids }),
  fc.record({ type: fc.constant('putBack' as const), uids }),
)
/** A possible list after changes of two devices: equal keys, and tombstones. */
const merged: fc.Arbitrary<UpNextEntry[]> = fc.uniqueArray(
  fc.record({
    uid,
    order: fc.constantFrom('Zz', 'a0', 'a1', 'a1V', 'a2'),
    removed: fc.boolean(),
    changedAt: fc.nat(100),
  }),
  { selector: (entry) => entry.uid },
)

test('actions keep the order of other teachings', () => {
  fc.assert(
    fc.property(merged, fc.array(action, { maxLength: 12 }), (start, actions) => {
      let entries: readonly UpNextEntry[] = start
      for (const [at, next] of actions.entries()) {
        const before = upNextOrder(entries)
        entries = written(entries, next, at)
        const now = upNextOrder(entries)
        expect(new Set(now).size).toBe(now.length)
        const named = new Set('uids' in next ? next.uids : [next.uid])
        const others = (order: string[]) => order.filter((each) => !named.has(each))
        expect(others(now)).toEqual(others(before))
      }
    }),
  )
})

test('actions equal those on a plain array', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
      const kept = actions.filter(({ type }) => type !== 'putBack')
      expect(upNextOrder(after(...kept))).toEqual(kept.reduce(onArray, []))
    }),
  )
})

function onArray(list: string[], next: UpNextAction): string[] {
  const named = 'uids' in next ? [...new Set(next.uids)] : [next.uid]
  const others = list.filter((each) => !named.includes(each))
  if (next.type === 'playNext') return [...named, ...others]
  if (next.type === 'addToEnd') return [...list, ...named.filter((each) => !list.includes(each))]
  if (next.type === 'remove') return others
  if (next.type !== 'move' || !list.includes(next.uid) || next.uid === next.before) return list
  const at = next.before === null ? -1 : others.indexOf(next.before)
  return others.toSpliced(at < 0 ? others.length : at, 0, next.uid)
}

test('keys stay short over thousands of moves', () => {
  let entries: readonly UpNextEntry[] = changeUpNext([], { type: 'addToEnd', uids: ['a', 'b', 'c', 'd'] }, 1)
  for (let count = 2; count < 3_000; count += 1) {
    const [first, , third] = upNextOrder(entries)
    const changed = changeUpNext(
      entries,
      { type: 'move', uid: third!, before: upNextOrder(entries)[1]! },
      count,
    )
    entries = [...entries.filter(({ uid }) => !changed.some((entry) => entry.uid === uid)), ...changed]
    expect(upNextOrder(entries).slice(0, 2)).toEqual([first, third])
  }
  expect(Math.max(...entries.map(({ order }) => order.length))).toBeLessThanOrEqual(100)
})

test('a list with the longest key gets new keys', () => {
  const entry = { removed: false, changedAt: 1 }
  const entries = [
    { ...entry, uid: 'a', order: 'a0' },
    { ...entry, uid: 'b', order: 'z'.repeat(200) },
  ]
  const changed = changeUpNext(entries, { type: 'addToEnd', uids: ['c'] }, 2)
  expect(upNextOrder(changed)).toEqual(['a', 'b', 'c'])
  expect(changed.every(({ order }) => order.length < 5)).toBe(true)
})
