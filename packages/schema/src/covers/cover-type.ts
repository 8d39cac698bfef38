import { letterKerning, letterOutlines } from './letters.ts'

/** A title set in lines, each as its text and its width in units of the size. */
export interface SetTitle {
  readonly size: number
  readonly lines: readonly string[]
}

/** The room for a title, in the units of the drawing. */
export interface TypeRoom {
  readonly width: number
  readonly height: number
}

/** Sizes that a title may have, the largest first. */
const sizes = [228, 208, 188, 168, 148, 132, 118, 106, 96, 88, 80, 72, 66, 60, 54]
export const lineHeight = 1.06

/** Letters that look the same without their marks, for one that has no outline. */
function plain(letter: string): string {
  return letter.normalize('NFD').replaceAll(/\p{M}/gu, '')
}

const drawn = (letter: string): string =>
  letter === '\u00a0' ? ' ' : letter in letterOutlines ? letter : plain(letter)

/** Whether every letter has an outline; a title in another script is set in a font of the system. */
export const hasOutlines = (text: string): boolean =>
  [...text].every((letter) => [...drawn(letter)].every((each) => each in letterOutlines))

const spelled = (text: string): string[] => [...text].flatMap((letter) => [...drawn(letter)])

/** Of a whole em for a letter without an outline, as those of Chinese have. */
const advanceOf = (letter: string): number => Number.parseInt(letterOutlines[letter] ?? '1000', 10)

const pairs = new Map<string, ReadonlyMap<string, number>>()

function kerningOf(first: string, second: string): number {
  const [one, other] = [plain(first), plain(second)]
  let known = pairs.get(one)
  if (!known) {
    const words = (letterKerning[one] ?? '').split(' ')
    known = new Map(words.map((word) => [word.slice(0, 1), Number(word.slice(1))]))
    pairs.set(one, known)
  }
  return known.get(other) ?? 0
}

/** The width of a text in thousandths of its size. */
export function widthOf(text: string): number {
  const letters = spelled(text)
  return letters.reduce(
    (sum, letter, at) => sum + advanceOf(letter) + (at === 0 ? 0 : kerningOf(letters[at - 1]!, letter)),
    0,
  )
}

/** A word with its width, which is measured once. */
interface Word {
  readonly text: string
  readonly width: number
}

const measured = (text: string): Word => ({ text, width: widthOf(text) })

/**
 * Sets a title as large as the room allows, in as few lines of about the same length as it needs. One that does not fit at
 * the smallest size ends in an ellipsis.
 */
export function setTitle(title: string, room: TypeRoom): SetTitle {
  // A number stays with its word: 1 Corinthians.
  const joined = title.trim().replaceAll(/(^|\s)(\d)\s+/gu, '$1$2\u00a0')
  const words = joined.split(/[^\S\u00a0]+/u).map(measured)
  for (const size of sizes) {
    const most = Math.floor(room.height / (size * lineHeight))
    const lines = balanced(words, (room.width * 1000) / size, Math.min(most, size > 100 ? 3 : 5))
    if (lines) return { size, lines }
  }
  const size = sizes.at(-1)!
  return {
    size,
    lines: cut(words, (room.width * 1000) / size, Math.floor(room.height / (size * lineHeight))),
  }
}

/** The fewest lines of at most this width, the widest as narrow as possible; undefined if there would be too many. */
function balanced(words: readonly Word[], width: number, most: number): string[] | undefined {
  let narrow = Math.max(...words.map((word) => word.width))
  if (narrow > width) return undefined
  const fewest = filled(words, width).length
  if (fewest > most) return undefined
  let wide = width
  // A dozen halvings come within a pixel.
  for (let step = 0; step < 12; step++) {
    const middle = (narrow + wide) / 2
    if (filled(words, middle).length <= fewest) wide = middle
    else narrow = middle
  }
  return filled(words, wide)
}

function filled(words: readonly Word[], width: number): string[] {
  const space = advanceOf(' ')
  const lines: string[] = []
  let used = 0
  for (const word of words) {
    if (lines.length > 0 && used + space + word.width <= width) {
      lines[lines.length - 1] += ` ${word.text}`
      used += space + word.width
    } else {
      lines.push(word.text)
      used = word.width
    }
  }
  return lines
}

function cut(words: readonly Word[], width: number, most: number): string[] {
  const pieces = words.flatMap((word) => (word.width <= width ? [word] : broken(word.text, width)))
  const lines = filled(pieces, width)
  if (lines.length <= most) return lines
  let last = `${lines[most - 1]!}…`
  while (widthOf(last) > width) last = `${[...last].slice(0, -2).join('')}…`
  return [...lines.slice(0, most - 1), last]
}

/** A word that is wider than a line, in pieces. */
function broken(word: string, width: number): Word[] {
  const pieces = ['']
  let used = 0
  for (const letter of word) {
    const own = widthOf(letter)
    if (used > 0 && used + own > width) {
      pieces.push('')
      used = 0
    }
    pieces[pieces.length - 1] += letter
    used += own
  }
  return pieces.map(measured)
}

/**
 * One line of type as SVG.
 *
 * @param place its left end, on the baseline
 * @param spacing between letters, in thousandths of the size
 */
export function lineOfType(
  text: string,
  { x, y, size, spacing = 0 }: { x: number; y: number; size: number; spacing?: number },
): string {
  const letters = spelled(text)
  let at = 0
  const parts = letters.map((letter, place) => {
    if (place > 0) at += kerningOf(letters[place - 1]!, letter) + spacing
    const outline = (letterOutlines[letter] ?? '').replace(/^\d+m?/, '')
    const begin = at
    at += advanceOf(letter)
    return outline === '' ? '' : `M${begin} 0m${outline}`
  })
  const scale = String(size / 1000)
  return `<path transform="translate(${x} ${y}) scale(${scale})" d="${parts.join('')}"/>`
}
