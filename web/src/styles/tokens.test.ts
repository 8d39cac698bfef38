import { readFileSync } from 'node:fs'
import path from 'node:path'
import { church } from '@fellowship/schema/church'
import { accentProperties, contrastOf } from '@fellowship/schema/site/accent'
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

type Tokens = Record<string, [light: string, dark: string]>

/** The pairs of a rule, with the accent of a fresh start. */
function pairsOf(rule: string): Tokens {
  const accents = Object.fromEntries(accentProperties(church().accent))
  const valueOf = (word: string) => /^#\w{6}$/.exec(word)?.[0] ?? accents[/--[\w-]+/.exec(word)![0]]!
  const found = rule.matchAll(/--([\w-]+): light-dark\((#\w{6}|var\([\w-]+\)), (#\w{6}|var\([\w-]+\))\)/g)
  return Object.fromEntries(
    [...found].map(([, name, light, dark]) => [name!, [valueOf(light!), valueOf(dark!)]]),
  )
}

/** Journeys audit the light scheme in every run, the dark one at night. Wheat is decorative, lines are no text. */
test.each(['normal', 'more'])('whatever is readable in light is so in dark: %s contrast', (contrast) => {
  const [normal, more] = read('tokens.css').split(/:root\[data-contrast='more'\] \{|@media/)
  const tokens = { ...pairsOf(normal!), ...(contrast === 'more' && pairsOf(more!)) }
  const names = Object.keys(tokens).filter((name) => /^(?:paper|ink|pine|on-|wheat-|brick|leaf)/.test(name))
  const readable = names.flatMap((text) =>
    names
      .map((on) => [0, 1].map((at) => contrastOf(tokens[text]![at]!, tokens[on]![at]!)))
      .map(([light, dark], at) => ({ pair: `${text} on ${names[at]}`, light: light!, dark: dark! }))
      .filter(({ light }) => light >= 4.5),
  )
  expect(names).toHaveLength(17)
  expect(readable.length).toBeGreaterThan(100)
  expect(readable.filter(({ dark }) => dark < 4.5)).toEqual([])
})
