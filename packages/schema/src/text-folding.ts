/**
 * What two spellings have in common: lower case, no accents, underscores and punctuation as single spaces, apostrophes
 * gone ("God's" is "gods", "O'Brien" is "obrien"). Letters of every script stay.
 */
export function foldText(text: string): string {
  return foldAccents(text).replace(apostrophes, '').replace(notWord, ' ').trim()
}

/** The words of `foldText(text)`. */
export function foldedWords(text: string): string[] {
  const folded = foldText(text)
  return folded === '' ? [] : folded.split(' ')
}

/** Lower case without accents; compatibility forms (fullwidth letters, ligatures) as plain ones. */
export function foldAccents(text: string): string {
  // Most text is plain ASCII, and normalizing costs ten times as much as this test.
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
const notWord = /[^\p{L}\p{N}\p{M}]+/gu

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
