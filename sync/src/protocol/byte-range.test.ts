import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planRange, type RangePlan } from './byte-range.ts'

const wholeBody = (size: number): RangePlan => ({ status: 200, start: 0, end: size - 1 })
const partial = (start: number, end: number): RangePlan => ({ status: 206, start, end })
const unsatisfiable: RangePlan = { status: 416 }

describe('an unsatisfiable range is answered with 416', () => {
  test.each([
    ['bytes=1000-', 1000],
    ['bytes=1000-1001', 1000],
    ['bytes=5000-6000', 1000],
    ['bytes=99999999999999999999-', 1000],
    ['bytes=-0', 1000],
    ['bytes=-00', 1000],
    ['bytes=0-', 0],
    ['bytes=0-0', 0],
    ['bytes=-1', 0],
  ])('%s of %i', (header, size) => expect(planRange(header, size)).toEqual(unsatisfiable))
})

describe('a malformed or multiple range is ignored and the whole body sent', () => {
  test.each([
    [null],
    [undefined],
    [''],
    ['bytes'],
    ['bytes='],
    ['bytes=-'],
    ['bytes=a-b'],
    ['bytes=1-b'],
    ['bytes=--5'],
    ['bytes=5-4'],
    ['bytes=1-2,4-5'],
    ['bytes=0-0,-1'],
    ['bytes=1-2,'],
    ['bytes=1.5-2'],
    ['bytes=0x1-0x2'],
    ['bytes=+1-2'],
    ['bytes 0-1'],
    ['byte=0-1'],
    ['items=0-1'],
    ['bytes=٣-٤'],
    ['bytes=1-2\nX: y'],
  ])('%j', (header) => expect(planRange(header, 1000)).toEqual(wholeBody(1000)))
})

describe('a satisfiable range is answered with 206 and exact bounds', () => {
  test.each([
    ['bytes=0-', 1000, partial(0, 999)],
    ['bytes=0-0', 1000, partial(0, 0)],
    ['bytes=0-1', 1000, partial(0, 1)],
    ['bytes=0-999', 1000, partial(0, 999)],
    ['bytes=0-1000', 1000, partial(0, 999)],
    ['bytes=999-', 1000, partial(999, 999)],
    ['bytes=999-999', 1000, partial(999, 999)],
    ['bytes=999-5000', 1000, partial(999, 999)],
    ['bytes=500-600', 1000, partial(500, 600)],
    ['bytes=-1', 1000, partial(999, 999)],
    ['bytes=-999', 1000, partial(1, 999)],
    ['bytes=-1000', 1000, partial(0, 999)],
    ['bytes=-1001', 1000, partial(0, 999)],
    ['BYTES=1-2', 1000, partial(1, 2)],
    [' bytes=1-2 ', 1000, partial(1, 2)],
    ['bytes= 1-2', 1000, partial(1, 2)],
    ['bytes=0001-0002', 1000, partial(1, 2)],
    ['bytes=1-99999999999999999999', 1000, partial(1, 999)],
  ] as const)('%s of %i', (header, size, plan) => expect(planRange(header, size)).toEqual(plan))
})

test('2,000 random ranges select the same bytes as Array.slice', () => {
  const bound = fc.option(fc.nat(300), { nil: undefined })
  fc.assert(
    fc.property(fc.nat(200), bound, bound, (size, first, last) => {
      const plan = planRange(`bytes=${first ?? ''}-${last ?? ''}`, size)
      const body = Array.from({ length: size }, (_, at) => at)
      expect(plan.status === 416 ? [] : body.slice(plan.start, plan.end + 1)).toEqual(
        slice(body, first, last),
      )
      expect(plan.status).toBe(statusOf(size, first, last))
    }),
    { numRuns: 2000, seed: 1 },
  )
})

/** The oracle: the same range taken with Array.slice. */
function slice(body: number[], first: number | undefined, last: number | undefined): number[] {
  if (first === undefined) return last === undefined ? body : last === 0 ? [] : body.slice(-last)
  return last !== undefined && last < first
    ? body
    : body.slice(first, last === undefined ? undefined : last + 1)
}

function statusOf(size: number, first: number | undefined, last: number | undefined): number {
  if (first === undefined) return last === undefined ? 200 : last === 0 || size === 0 ? 416 : 206
  if (last !== undefined && last < first) return 200
  return first >= size ? 416 : 206
}
