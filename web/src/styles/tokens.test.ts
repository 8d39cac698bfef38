import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8')

/** Their values stand in TypeScript too: the accent is moved until it can be read on them. */
test('repeats paper and ink where the accent is derived', () => {
  const tokens = read('tokens.css')
  const copies = [read('../../../packages/schema/src/site/accent.ts'), read('../features/site/look-form.tsx')]
  const of = (name: string) =>
    new RegExp(String.raw`--${name}: light-dark\((#\w{6}), (#\w{6})\)`).exec(tokens)!.slice(1)
  for (const colour of [...of('paper'), ...of('on-pine')])
    for (const copy of copies) expect(copy).toContain(colour)
  for (const colour of [...of('paper-raised'), ...of('paper-sunk')]) expect(copies[0]).toContain(colour)
  for (const colour of of('ink')) expect(copies[1]).toContain(colour)
})
