import { expect, test } from 'vitest'
import type { Area, BenchRow } from './area.ts'
import { runAreas } from './run-areas.ts'

const row = (work: string): BenchRow => ({
  work,
  product: '2 ms',
  yardstick: 'other 1 ms',
  ratio: '2.00 ×',
  target: '≤ 3 ms',
  met: true,
})
const area = (name: string, run: Area['run'], needs: Area['needs'] = []): Area => ({ name, needs, run })

async function printed(areas: Area[], isInstalled = () => true) {
  const lines: string[] = []
  const rows = await runAreas(areas, { isInstalled, print: (line) => void lines.push(line) })
  return { lines, works: rows.map(({ work }) => work) }
}

test('prints each row as soon as it is measured', async () => {
  const lines: string[] = []
  let seen = 0
  const two = area('two', async ({ report }) => {
    report(row('first'))
    seen = lines.length
    report(row('second'))
  })
  await runAreas([two], { isInstalled: () => true, print: (line) => void lines.push(line) })
  expect(lines.slice(0, seen)).toEqual(['two …', '| first | 2 ms | other 1 ms | 2.00 × | ≤ 3 ms | met |'])
  expect(lines).toHaveLength(3)
})

test('a failed area is one line, the next runs', async () => {
  const broken = area('broken', async ({ report }) => {
    report(row('measured before'))
    throw new Error('The product ended with 1:\nPort 3000 is in use.\n')
  })
  const { lines, works } = await printed([broken, area('next', async ({ report }) => report(row('after')))])
  expect(lines[2]).toBe('broken: could not run: The product ended with 1: Port 3000 is in use.')
  expect(works).toEqual(['measured before', 'after'])
})

test('a long reason is cut, a missing one named', async () => {
  const long = area('long', () => Promise.reject(new Error('x'.repeat(1_000))))
  const silent = area('silent', () => Promise.reject(new Error('')))
  const { lines } = await printed([long, silent])
  expect(lines[1]).toBe(`long: could not run: ${'x'.repeat(299)}…`)
  expect(lines[3]).toBe('silent: could not run: no reason given')
})

test('cleans up in reverse and reports the first cause', async () => {
  const order: string[] = []
  const broken = area('broken', async ({ onEnd }) => {
    onEnd(() => void order.push('product'))
    onEnd(() => {
      order.push('nginx')
      throw new Error('nginx did not stop.')
    })
    throw new Error('The upload answered 500.')
  })
  const { lines } = await printed([broken])
  expect(order).toEqual(['nginx', 'product'])
  expect(lines).toEqual(['broken …', 'broken: could not run: The upload answered 500.'])
})

test('skips an area without its programs, naming the packages', async () => {
  const never = () => Promise.reject(new Error('was run'))
  const { lines, works } = await printed([area('static', never, ['nginx', 'wrk'])], () => false)
  expect(lines).toEqual([
    'static: skipped, this machine has no nginx (package nginx-light), wrk (package wrk).',
  ])
  expect(works).toEqual([])
})
