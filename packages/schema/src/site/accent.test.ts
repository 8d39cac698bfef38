import { expect, test } from 'vitest'
import { church } from '../church.ts'
import { accentStyle, accentTokens, contrastOf } from './accent.ts'

/** Hues around the circle, pale, plain and deep, and the greys. */
const accents = [0, 40, 80, 120, 160, 200, 240]
  .flatMap((red) => [0, 80, 160, 240].flatMap((green) => [0, 90, 180, 255].map((blue) => [red, green, blue])))
  .map((rgb) => `#${rgb.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`)

test('yields the colours of a fresh start exactly', () => {
  expect(accentStyle(church().accent)).toBe(
    ':root{--accent-light:#1f4d3f;--accent-dark:#7fb8a0;--accent-strong-light:#163a2f;--accent-strong-dark:#9ccdb8;' +
      '--accent-tint-light:#e6efe8;--accent-tint-dark:#20382f;--accent-more-light:#0d3529;--accent-more-dark:#b5ecd4;' +
      '--accent-more-tint-light:#dcebe1;--accent-more-tint-dark:#17352a}',
  )
})

test('moves a colour that cannot be read to the nearest that can', () => {
  expect(accentTokens('#FFD400').accent).toEqual(['#806900', '#cca527'])
  expect(contrastOf('#806900', '#f3eee2')).toBeGreaterThan(4.5)
  expect(accentTokens('#C8102E').accent[0]).toBe('#c8102e')
})

const both = (light: string, dark: string): [string, string] => [light, dark]
const papers = [both('#fbf8f2', '#14201c'), both('#fffefb', '#1b2a25'), both('#f3eee2', '#0f1915')]

test('every accent is readable in both schemes', () => {
  expect(accents).toHaveLength(112)
  for (const accent of accents) {
    const tokens = accentTokens(accent)
    const tint = tokens['accent-tint'] as [string, string]
    const own = tokens.accent as [string, string]
    const strong = tokens['accent-strong'] as [string, string]
    /** Of a text and its background. */
    const pairs: [text: [string, string], on: [string, string]][] = []
    for (const paper of [...papers, tint]) pairs.push([own, paper])
    for (const button of [own, strong]) pairs.push([both('#fdfbf6', '#0f1d17'), button])
    for (const text of [both('#22302b', '#ede8dc'), both('#51605a', '#b3bdb4'), both('#8a5a12', '#e4b96f')])
      pairs.push([text, tint])
    for (const [text, on] of pairs)
      for (const scheme of [0, 1] as const)
        expect(
          contrastOf(text[scheme], on[scheme]),
          `${accent}: ${text[scheme]} on ${on[scheme]}`,
        ).toBeGreaterThanOrEqual(4.5)
    for (const scheme of [0, 1] as const)
      expect(
        contrastOf(tokens['accent-more'][scheme], tokens['accent-more-tint'][scheme]),
      ).toBeGreaterThanOrEqual(7)
  }
})
