import { church } from '@fellowship/schema/church'
import type { CoverPalette } from '@fellowship/schema/covers/cover-palettes'
import { drawScene } from '@fellowship/schema/covers/cover-scenes'
import { hasOutlines, lineHeight, lineOfType, setTitle, widthOf } from '@fellowship/schema/covers/cover-type'
import { accentTokens } from '@fellowship/schema/site/accent'

/** A picture that is made of the church's identity: its size in pixels, and how it is drawn. */
export interface SiteImage {
  readonly width: number
  readonly height: number
  readonly draw: (logo: Logo) => string
}

/** The church's logo as a data address; undefined for one without. */
type Logo = string | undefined

const [paper, ink, inkSoft] = ['#fffefb', '#22302b', '#8a5a12']

const svg = (width: number, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${content}</svg>`

/** The mark of pages (web/src/ui/mark.tsx) without its circle, in a box of 48 units. */
const markOf = (letters: string, hills: string, ears: string): string =>
  `<path fill="${hills}" fill-opacity=".25" d="M1.6 32.6C9 27.4 17.4 27.6 25 30.4c7.6 2.7 14.7 2.5 21.5-1.2A24 24 0 0 1 1.6 32.6Z"/>` +
  `<path fill="${hills}" fill-opacity=".4" d="M5.2 38.8c9.3-5.6 18.8-5.4 26-3.1 4.8 1.5 8.3 1.5 12.3.3A24 24 0 0 1 5.2 38.8Z"/>` +
  `<path fill="none" stroke="${letters}" stroke-width="2.6" stroke-linecap="round" d="M24 36V12.5M14.5 21.5h19"/>` +
  `<path fill="${ears}" d="M24 6.2c2.1 2.3 2.1 5 0 7.3-2.1-2.3-2.1-5 0-7.3ZM25.3 17.6c.1-3.1 1.9-5.1 5-5.5-.1 3.1-1.9 5.1-5 5.5ZM22.7 17.6c-.1-3.1-1.9-5.1-5-5.5.1 3.1 1.9 5.1 5 5.5Z"/>`

const mark = () => markOf('#fdfbf6', '#fdfbf6', '#c98a2b')
const accent = () => accentTokens(church().accent).accent[0]

/** A part of a drawing at this place, in a square of this side. */
const placed = (content: string, x: number, y: number, side: number): string =>
  `<g transform="translate(${x} ${y}) scale(${side / 48})">${content}</g>`

/** The mark on its disc, or the logo in its place. */
const emblem = (logo: Logo, x: number, y: number, side: number): string =>
  logo === undefined
    ? placed(`<circle cx="24" cy="24" r="24" fill="${accent()}"/>${mark()}`, x, y, side)
    : `<image href="${logo}" x="${x}" y="${y}" width="${side}" height="${side}" preserveAspectRatio="xMidYMid meet"/>`

/** An icon with its own outline: a disc, or the logo on a tile of paper. */
const plainIcon = (side: number): SiteImage => ({
  width: side,
  height: side,
  draw: (logo) =>
    svg(
      side,
      side,
      logo === undefined
        ? emblem(logo, 0, 0, side)
        : `<rect width="${side}" height="${side}" rx="${side * 0.2}" fill="${paper}"/>${emblem(logo, side * 0.1, side * 0.1, side * 0.8)}`,
    ),
})

/**
 * An icon that the device cuts to its own outline.
 *
 * @param share of the side that the mark takes
 */
const wholeIcon = (side: number, share: number): SiteImage => ({
  width: side,
  height: side,
  draw: (logo) => {
    const ground = `<rect width="${side}" height="${side}" fill="${logo === undefined ? accent() : paper}"/>`
    // Of a logo the corners count too.
    const inner = side * share * (logo === undefined ? 1 : 0.85)
    const at = (side - inner) / 2
    return svg(
      side,
      side,
      ground + (logo === undefined ? placed(mark(), at, at, inner) : emblem(logo, at, at, inner)),
    )
  },
})

/** For surfaces that have a colour of their own: a logo's letters are unknown, so that it is always the mark. */
const monochromeIcon = (side: number): SiteImage => ({
  width: side,
  height: side,
  draw: () => svg(side, side, placed(markOf('#fff', '#fff', '#fff'), side * 0.14, side * 0.14, side * 0.72)),
})

/** The country around the church, as at the top of Home by day. */
const day: CoverPalette = {
  sky: ['#e4ebe3', '#fbf3e0'],
  sun: '#f4cf87',
  far: '#c9d6ce',
  near: '#b2c6b9',
  hills: ['#9dba9f', '#7ea386', '#56866c'],
  meadow: '#356b54',
  crop: '#d6b066',
  water: ['#dcebe8', '#b9d5d2'],
  tree: '#2b5a47',
  wall: ['#fdf8ec', '#efe4cf'],
  roof: '#8f4a35',
  window: '#51605a',
  ink,
}

/** The first scene, in which the hall stands, with hills of different heights. */
function country(): string {
  let count = 0
  return drawScene(day, (below) => {
    count += 1
    return count === 1 || below === 2 ? 0 : (count * 37) % below
  })
}

const sky = (width: number, height: number): string =>
  `<linearGradient id="a" x2="0" y2="1"><stop stop-color="${day.sky[0]}"/><stop offset=".8" stop-color="${day.sky[1]}"/></linearGradient>` +
  `<path fill="url(#a)" d="M0 0h${width}v${height}H0Z"/>`

/** Lines of the church's name; none in a script whose letters have no outlines here. */
function nameLines(room: { width: number; height: number; most: number }): {
  size: number
  lines: readonly string[]
} {
  const { name } = church()
  if (!hasOutlines(name)) return { size: 0, lines: [] }
  const set = setTitle(name, room)
  return set.size <= room.most
    ? set
    : { ...setTitle(name, { ...room, height: room.most * lineHeight * set.lines.length }), size: room.most }
}

const centred = (text: string, middle: number, y: number, size: number): string =>
  lineOfType(text, { x: Math.round(middle - (widthOf(text) * size) / 2000), y, size })

/** The picture of the podcast, for directories. */
const podcast: SiteImage = {
  width: 1500,
  height: 1500,
  draw(logo) {
    const { size, lines } = nameLines({ width: 1180, height: 300, most: 132 })
    const first = 560 + size * 0.76
    const below = first + (lines.length - 1) * size * lineHeight
    return svg(
      1500,
      1500,
      sky(1500, 1500) +
        `<g transform="translate(0 -15) scale(1.5)">${country()}</g>` +
        emblem(logo, 530, 90, 440) +
        `<g fill="${ink}">${lines.map((line, at) => centred(line, 750, first + at * size * lineHeight, size)).join('')}</g>` +
        `<g fill="${inkSoft}">${centred('Teaching', 750, below + 96, 64)}</g>`,
    )
  },
}

/** The picture of a shared link. */
const share: SiteImage = {
  width: 1200,
  height: 630,
  draw(logo) {
    const { size, lines } = nameLines({ width: 1060, height: 170, most: 76 })
    const words = church().services[0]?.words ?? ''
    const first = 168 + size * 0.76
    const below = first + (lines.length - 1) * size * lineHeight
    return svg(
      1200,
      630,
      sky(1200, 630) +
        `<g transform="translate(0 -282) scale(1.2)">${country()}</g>` +
        emblem(logo, 70, 36, 112) +
        `<g fill="${ink}">${lines.map((line, at) => lineOfType(line, { x: 70, y: Math.round(first + at * size * lineHeight), size })).join('')}</g>` +
        `<g fill="${inkSoft}">${hasOutlines(words) ? lineOfType(words, { x: 72, y: Math.round(below + 54), size: 34 }) : ''}</g>`,
    )
  },
}

/** The pictures of the site by address. */
export const siteImages: Readonly<Record<string, SiteImage>> = {
  '/icons/icon-32.png': plainIcon(32),
  '/icons/icon-192.png': plainIcon(192),
  '/icons/icon-512.png': plainIcon(512),
  '/icons/apple-touch-icon.png': wholeIcon(180, 0.79),
  '/icons/maskable-192.png': wholeIcon(192, 0.68),
  '/icons/maskable-512.png': wholeIcon(512, 0.68),
  '/icons/monochrome-512.png': monochromeIcon(512),
  '/artwork/podcast-1.png': podcast,
  '/artwork/share-1.png': share,
}
