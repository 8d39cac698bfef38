/**
 * Normalizes text for comparison: lower case, no accents, underscores and punctuation as single spaces, no apostrophes
 * ("God's" → "gods", "O'Brien" → "obrien"). Letters of every script stay.
 */
export const foldText = (text: string): string => foldedWords(text).join(' ')

/** The words of `foldText(text)`. */
export function foldedWords(text: string): string[] {
  // Fast path: most text is ASCII, and a catalogue has ten thousand rows.
  if (isAscii.test(text))
    return (
      text
        .toLowerCase()
        .replace(/['`]/g, '')
        .match(/[a-z0-9]+/g) ?? []
    )
  return foldAccents(text).replace(apostrophes, '').match(word) ?? []
}

/** Lower case without accents; compatibility forms (fullwidth letters, ligatures) as plain letters. */
export function foldAccents(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(combiningMarks, '')
    .replace(undecomposed, (letter) => plainLetters[letter] ?? letter)
}

const isAscii = /^[\u0020-\u007e]*$/
/** Accents of Latin, Greek, Cyrillic and points of Hebrew and Arabic; vowel signs of other scripts count as letters. */
const combiningMarks = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g
const apostrophes = /['`’‘ʻʼ´]/g
const word = /[\p{L}\p{N}\p{M}]+/gu

/** Letters without a Unicode decomposition, as people type them on a keyboard that lacks them. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}
const undecomposed = /[ßæœøđðþłı]/g

/** A name as a part of an address: 'Māori O’Brien' is 'maori-obrien'. Empty if the name has no letter or digit. */
export const nameSlug = (name: string): string => foldedWords(name).join('-')

/** Words of letters and digits with hyphens between them. */
export const slugLike = /^[\p{L}\p{N}\p{M}]+(?:-[\p{L}\p{N}\p{M}]+)*$/u
