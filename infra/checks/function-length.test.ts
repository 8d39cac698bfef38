import { describe, expect, test } from 'vitest'
import { functionsOf, isTest, readSourceTree } from './source-tree.ts'

const limit = 100

/** Longer functions that are known, with their length at most; none may be added and none may grow. */
const known: Record<string, number> = {}

describe('function length', () => {
  test(`no function of the product has more than ${limit} lines`, () => {
    const long = [...readSourceTree()]
      .filter(([file]) => !isTest(file) && !file.startsWith('infra/'))
      .flatMap(([file, source]) => functionsOf(file, source).map((each) => ({ file, ...each })))
      .filter(({ file, name, lines }) => lines > (known[`${file} ${name}`] ?? limit))
      .map(({ file, name, lines }) => `${file} ${name}: ${lines} lines`)
    expect(long).toEqual([])
  })

  test('measures every kind of function without its tables', () => {
    const source = [
      'export function declared() {',
      '  return 1',
      '}',
      'const arrow = () => {',
      '  const table = [',
      '    1,',
      '    2,',
      '  ]',
      '  return { table, method() {',
      '    return 2',
      '  } }',
      '}',
    ].join('\n')
    expect(functionsOf('a.ts', source)).toEqual([
      { name: 'declared', lines: 3 },
      { name: 'arrow', lines: 6 },
      { name: 'method', lines: 3 },
    ])
  })
})
