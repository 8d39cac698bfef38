import { expect, test } from 'vitest'
import { mutantsOf } from './mutants-of.ts'

const mutated = (source: string) =>
  mutantsOf('a.ts', source).map(
    ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
  )

test('a source without conditions and calls has no mutants', () => {
  expect(mutantsOf('a.ts', "import { a } from './a.ts'\nexport type B = typeof a")).toEqual([])
})

test('mutants turn conditions and drop parts and calls', () => {
  expect(mutated('if (a < 1 && !b) run(a)')).toEqual([
    'if (!(a < 1 && !b)) run(a)',
    'if ((a < 1) || (!b)) run(a)',
    'if (a < 1) run(a)',
    'if ((a) <= (1) && !b) run(a)',
    'if (a < 1 && b) run(a)',
    'if (a < 1 && !b) ;',
  ])
})

test('a mutant names file, line and change', () => {
  expect(mutantsOf('a.ts', 'const a: number = 1\nawait save(a)')).toMatchObject([
    { file: 'a.ts', line: 2, shown: 'await save(a) → ;' },
  ])
})
