/**
 * What two spellings have in common: lower case, no accents, underscores and punctuation as single spaces, apostrophes
 * gone ("God's" is "gods", "O'Brien" is "obrien"). Letters of every script stay.
 */
export const foldText = (text: string): string => foldedWords(text).join(' ')

/** The words of `foldText(text)`. */
export function foldedWords(text: string): string[] {
  // Most text is plain ASCII, which a catalogue of ten thousand rows notices.
  if (isAscii.test(text))
    return (
      text
        .toLowerCase()
        .replace(/['`]/g, '')
        .match(/[a-z0-9]+/g) ?? []
    )
  return foldAccents(text).replace(apostrophes, '').match(word) ?? []
}

/** Lower case without accents; compatibility forms (fullwidth letters, ligatures) as plain ones. */
export function foldAccents(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(combiningMarks, '')
    .replace(undecomposed, (letter) => plainLetters[letter] ?? letter)
}

const isAscii = /^[\u0020-\u007e]*$/
/** Accents of Latin, Greek, Cyrillic and points of Hebrew and Arabic; vowel signs of other scripts are letters to us. */
const combiningMarks = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g
const apostrophes = /['`’‘ʻʼ´]/g
const word = /[\p{L}\p{N}\p{M}]+/gu

/** Letters that no Unicode decomposition splits, as people without them on the keyboard type them. */
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
