/**
 * `node infra/dev/run.mjs infra/dev/cover-letters.ts`: writes the outlines of the letters on drawn covers, from Source Serif 4
 * (SIL Open Font License) at its largest optical size, so that a server without fonts and every device draw the same.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Blob, Buffer as Run, Face, Font, shape, type SvgPathCommand, Variation } from 'harfbuzzjs'
import subsetFont from 'subset-font'

const target = path.resolve(import.meta.dirname, '../../packages/schema/src/covers/letters.ts')
const weight = 520
const opticalSize = 60
/** Units of the em. */
const em = 1000
const leastKerning = 6
const basic = range(0x20, 0x7e) + range(0xc0, 0xff) + '’‘“”–—…•·¡¿'
const extended = 'ĀāĒēĪīŌōŪūŒœŠšŽžČčŁł'
// A small letter before a capital is rare in a title.
const isSmall = /[a-z]/
const kerned = range(0x41, 0x5a) + range(0x61, 0x7a) + range(0x30, 0x39) + "’'“”.,:-–"

const fonts = await Promise.all(['latin', 'latin-ext'].map(open))
const letters = [...basic, ...extended].filter((letter) => letter !== '×' && letter !== '÷')
await writeFile(target, `${head()}\n\n${outlines()}\n\n${kerning()}\n`)

function range(from: number, to: number): string {
  return String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, at) => from + at))
}

async function open(subset: string): Promise<Font> {
  const name = `@fontsource-variable/source-serif-4/files/source-serif-4-${subset}-opsz-normal.woff2`
  const file = await readFile(createRequire(import.meta.url).resolve(name))
  const bytes = await subsetFont(file, basic + extended, { targetFormat: 'sfnt' })
  const font = new Font(new Face(new Blob(new Uint8Array(bytes))))
  font.setScale(em, em)
  font.setVariations([new Variation('wght', weight), new Variation('opsz', opticalSize)])
  return font
}

function head(): string {
  return `/*
 * Written by infra/dev/cover-letters.ts from Source Serif 4, Copyright 2014 - 2023 Adobe, SIL Open Font License 1.1.
 */`
}

function outlines(): string {
  const lines = letters.map((letter) => {
    const font = fonts.find((each) => each.nominalGlyph(letter.codePointAt(0)!))
    const glyph = font?.nominalGlyph(letter.codePointAt(0)!)
    if (!font || !glyph) throw new Error(`The font has no ${letter}.`)
    return `  ${JSON.stringify(letter)}: '${Math.round(font.glyphHAdvance(glyph))}${relative(font.glyphToJson(glyph))}',`
  })
  const doc =
    '/** The advance of a letter in units of a thousandth of its size, and its outline as an SVG path. */'
  return `${doc}\nexport const letterOutlines: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n}`
}

/** As whole units, downwards, each command relative to the one before. */
function relative(commands: readonly SvgPathCommand[]): string {
  let [x, y] = [0, 0]
  let [startX, startY] = [0, 0]
  const parts = commands.map(({ type, values }) => {
    if (type === 'Z') {
      ;[x, y] = [startX, startY]
      return 'z'
    }
    const points = values.map((value, at) => Math.round(at % 2 === 0 ? value : -value))
    const numbers = points.map((value, at) => value - (at % 2 === 0 ? x : y))
    ;[x, y] = points.slice(-2) as [number, number]
    if (type === 'M') [startX, startY] = [x, y]
    const [dx, dy] = numbers as [number, number]
    if (type === 'L' && dy === 0) return `h${dx}`
    if (type === 'L' && dx === 0) return `v${dy}`
    return type.toLowerCase() + numbers.join(' ').replaceAll(' -', '-')
  })
  return parts.join('')
}

function kerning(): string {
  const lines = [...kerned].flatMap((first) => {
    const pairs = [...kerned].flatMap((second) => {
      if (isSmall.test(first) && /[A-Z]/.test(second)) return []
      const units = kern(first + second)
      return Math.abs(units) < leastKerning ? [] : [`${second}${units}`]
    })
    return pairs.length === 0 ? [] : [`  ${JSON.stringify(first)}: ${JSON.stringify(pairs.join(' '))},`]
  })
  const doc = '/** By the first letter of a pair: the second one, and how much nearer it comes. */'
  return `${doc}\nexport const letterKerning: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n}`
}

function kern(pair: string): number {
  const [font] = fonts
  const run = new Run()
  run.addText(pair)
  run.guessSegmentProperties()
  shape(font!, run)
  const whole = run.getGlyphPositions().reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  const single = [...pair].map((letter) => font!.glyphHAdvance(font!.nominalGlyph(letter.codePointAt(0)!)!))
  // A ligature is drawn as its letters.
  return run.getLength() === 2 ? Math.round(whole - single[0]! - single[1]!) : 0
}
