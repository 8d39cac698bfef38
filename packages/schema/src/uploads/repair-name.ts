/*
 * File names whose characters were damaged on the way, restored: UTF-8 that was decoded as another
 * encoding, the substitutes that file systems write for characters they forbid, and the codes of web pages.
 */

/**
 * A name whose UTF-8 was decoded as Windows-1252 or Mac Roman, decoded as it was written: 'RenÃ©e' and 'Ren√©e' are
 * 'Renée'. Every other name is returned unchanged, also if only a part of it could be decoded.
 */
export function decodedTwice(name: string): string {
  if (isAscii.test(name)) return name
  return (
    redecoded(name, windows1252) ?? (/[√ƒ≈]|‚Ä/.test(name) ? redecoded(name, macRoman) : undefined) ?? name
  )
}

/** Whether a name still holds characters that only a wrong decoding leaves behind. */
export const looksMisread = (name: string): boolean =>
  /[ÃÂ][\u0080-\u00bf€‚„…†‡‰‹Œ™]|â€|Ã |√[©®°±≥º]|[\u2500-\u259f]/.test(name)

function redecoded(name: string, bytes: ReadonlyMap<string, number>): string | undefined {
  let isClean = true
  const decoded = name.replace(/[\u0080-\uffff]+/g, (run) => {
    try {
      const read = decodeURIComponent([...run].map((character) => escaped(bytes.get(character))).join(''))
      // An ordinary accent before a closing quote makes such letters.
      isClean &&= !/[\u0080-\u009f\u0180-\u02ff\u0460-\u052f]/.test(read)
      return read
    } catch {
      isClean = false
      return run
    }
  })
  return isClean ? decoded : undefined
}

/** A byte as `decodeURIComponent` takes it; without one the whole run is malformed. */
const escaped = (byte: number | undefined) => `%${byte?.toString(16) ?? 'no'}`

const isAscii = /^[^\u0080-\uffff]*$/

/** The bytes of characters by code page, from 0x80 on. */
const bytesOf = (upperHalf: string) => new Map([...upperHalf].map((character, at) => [character, 0x80 + at]))

const latin1 = Array.from({ length: 0x60 }, (_, at) => String.fromCharCode(0xa0 + at)).join('')
const upper1252 = `€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ${latin1}`
const windows1252 = bytesOf(upper1252)
// Bytes 0x80 to 0x9f are control characters in Latin-1.
for (let byte = 0x80; byte < 0xa0; byte++) windows1252.set(String.fromCharCode(byte), byte)
const macRoman = bytesOf(
  'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£\u00a7•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ',
)

/** Text of bytes in Windows-1252. `TextDecoder` of some Node versions reads 0x80 to 0x9f as Latin-1. */
export const fromWindows1252 = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upper1252[byte - 0x80])).join('')

/**
 * The possible readings of a name with private-use characters. File systems of Windows forbid " * / < > ? \ | and a space or dot
 * at the end: a Mac writes U+F020 to U+F029 for them, Cygwin, Samba and WSL write U+F000 plus the character. Both use
 * U+F022, so the shape of the convention decides between the readings.
 */
export function readingsOf(stem: string): string[] {
  if (!/[\uf020-\uf07f]/.test(stem)) return [stem]
  const asMac = stem.replace(
    /[\uf020-\uf029]/g,
    (character) => macSubstitutes[character.charCodeAt(0) - 0xf020] ?? '',
  )
  // A system that keeps one quote keeps the others.
  const asSamba = (stem.includes('"') ? stem : stem.replace(/\uf022/g, '"'))
    .replace(/[\uf02a\uf02f\uf03a\uf03c\uf03e\uf03f\uf05c\uf07c]/g, (character) =>
      String.fromCharCode(character.charCodeAt(0) - 0xf000),
    )
    .replace(/^\uf020+|\uf020+$/g, ' ')
    .replace(/\uf02e+$/g, '.')
  return [asMac, asSamba]
}

/** From U+F020 on, as in the table of Apple's Services for Macintosh. */
const macSubstitutes = '"*/<>?\\| .'

/** A name without the codes of web pages: '&amp;' is '&', '&#39;' is an apostrophe. Unknown ones stay. */
export function withoutEntities(text: string): { text: string; hadEntities: boolean } {
  let decoded = text
  // '&amp;quot;' was coded twice.
  for (let round = 0; round < 3; round++) {
    const next = decoded.replace(anyEntity, (code, body: string) => entityOf(body) ?? code)
    if (next === decoded) break
    decoded = next
  }
  return { text: decoded, hadEntities: text.search(anyEntity) >= 0 }
}

const anyEntity = /&(#\d{2,6}|#x[0-9a-f]{2,5}|[a-z][a-z0-9]{1,7});/gi

function entityOf(body: string): string | undefined {
  const number = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(body)
  if (!number) return entities[body.toLowerCase()]
  const code = number[1] === undefined ? Number(number[2]) : parseInt(number[1], 16)
  return code >= 0x20 && code < 0xd800 ? String.fromCharCode(code) : undefined
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  hellip: '…',
  laquo: '«',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  raquo: '»',
  rdquo: '”',
  rsquo: '’',
}
