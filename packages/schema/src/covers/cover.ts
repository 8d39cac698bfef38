import type { Cover, CoverKind } from './cover-path.ts'
import { palettes } from './cover-palettes.ts'
import { type Chance, drawScene } from './cover-scenes.ts'
import { hasOutlines, lineHeight, lineOfType, setTitle } from './cover-type.ts'

const labels: Readonly<Record<CoverKind, string>> = {
  series: 'SERIES',
  books: 'BOOK',
  speakers: 'SPEAKER',
  teaching: 'TEACHING',
}

/** The side of the drawing, in its own units. */
const side = 1000
const margin = 84
const room = { width: side - 2 * margin, height: 390 }
/** Up to this width on the screen, in pixels, a cover shows its first letter instead of its title. */
const smallest = 120

/**
 * Draws a cover: a landscape of the hero's kind under the title. The same cover is the same drawing on every machine.
 *
 * @param options.responds small pictures show the first letter alone, and titles in other scripts use the fonts of the system; for browsers
 */
export function coverSvg({ kind, title }: Cover, { responds = true } = {}): string {
  const chance = chanceOf(`${kind} ${title}`)
  const palette = palettes[chance(palettes.length)]!
  const scene = drawScene(palette, chance)
  const [high, low] = palette.sky
  const stars = palette.hasStars ? starsOf(palette.sun, chance) : ''
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" width="${side}" height="${side}">`,
    `<linearGradient id="a" x1="0" y1="0" x2="0" y2=".72" gradientUnits="objectBoundingBox"><stop stop-color="${high}"/><stop offset="1" stop-color="${low}"/></linearGradient>`,
    responds ? `<style>@media(max-width:${smallest}px){.s{display:block}.l{display:none}}</style>` : '',
    `<path fill="url(#a)" d="M0 0h${side}v${side}H0Z"/>${stars}${scene}`,
    `<g class="l" fill="${palette.ink}">${words({ kind, title }, responds)}</g>`,
    responds ? `<g class="s" display="none" fill="${palette.ink}">${initial(title)}</g>` : '',
    '</svg>',
  ].join('')
}

function words({ kind, title }: Cover, hasFonts: boolean): string {
  if (!hasOutlines(title)) return hasFonts ? systemType(title) : ''
  const label = lineOfType(labels[kind], { x: margin + 3, y: 120, size: 35, spacing: 160 })
  const { size, lines } = setTitle(title, room)
  const set = lines.map((line, at) =>
    lineOfType(line, {
      x: margin - Math.round(size * 0.03),
      y: Math.round(162 + size * 0.76 + at * size * lineHeight),
      size,
    }),
  )
  return label + set.join('')
}

/** A title in a script without outlines here, in a font of the system, as large as most of them allow. */
function systemType(title: string): string {
  const { size, lines } = setTitle(title, room)
  return lines
    .map(
      (line, at) =>
        `<text x="${margin}" y="${Math.round(152 + size * 0.84 + at * size * lineHeight)}" font-family="Source Serif 4 Variable,Georgia,Noto Serif,serif" font-size="${size}">${escaped(line)}</text>`,
    )
    .join('')
}

function initial(title: string): string {
  const [letter = ''] = /\p{L}/u.exec(title) ?? /\p{N}/u.exec(title) ?? []
  const capital = letter.toLocaleUpperCase('en')
  return hasOutlines(capital)
    ? lineOfType(capital, { x: 90, y: 500, size: 560 })
    : `<text x="90" y="490" font-family="serif" font-size="480">${escaped(capital)}</text>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const starsOf = (fill: string, chance: Chance): string =>
  `<g fill="${fill}" opacity=".7">${Array.from(
    { length: 26 },
    () => `<circle cx="${20 + chance(960)}" cy="${20 + chance(560)}" r="${2 + chance(3)}"/>`,
  ).join('')}</g>`

/** A generator whose seed is a text: FNV-1a, then mulberry32. */
function chanceOf(text: string): Chance {
  let seed = 0x811c9dc5
  for (let at = 0; at < text.length; at++) seed = Math.imul(seed ^ text.charCodeAt(at), 0x01000193)
  seed ^= seed >>> 16
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}
