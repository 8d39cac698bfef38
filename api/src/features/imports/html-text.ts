/**
 * The text of HTML that another site wrote: a line for each block, no markup, entities as characters. Plain text stays as it
 * is.
 *
 * @param most characters; a longer text ends with an ellipsis at a word
 */
export function htmlText(html: string, most: number): string {
  const text = decodeEntities(
    html
      .slice(0, longestHtml)
      .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
      .replace(/<(script|style|iframe|object|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
      .replace(/<(?:br|\/?(?:p|div|h[1-6]|ul|ol|tr|blockquote|section|article|figure))\b[^<>]*>/gi, '\n')
      .replace(/<li\b[^<>]*>/gi, '\n- ')
      // A tag begins with a letter: '3 < 4' is text.
      .replace(/<\/?[a-z!?][^<>]*>/gi, ''),
  )
    // Shortcodes of WordPress.
    .replace(
      /\[\/?(?:audio|video|caption|gallery|embed|playlist|powerpress|[a-z]+_[a-z_]+)(?:\s[^\]]*)?\]/gi,
      '',
    )
    .replace(unwanted, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return shortened(text, most)
}

/** A text as one line. */
export const htmlLine = (html: string, most: number): string =>
  shortened(htmlText(html, longestHtml).replace(/\s+/g, ' ').trim(), most)

const longestHtml = 200_000

/** Control characters, and those that change the direction of writing. */
const unwanted = /(?![\t\n\r])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\uFEFF\u00AD]/gu

function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')
  const atWord = cut.replace(/\s+\S*$/, '')
  return `${atWord.length > most / 2 ? atWord : cut}…`
}

function decodeEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8}\d?);/gi, (whole, name: string) => {
    if (name[0] !== '#') return named.get(name) ?? named.get(name.toLowerCase()) ?? whole
    const point = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1))
    // WordPress and Word write characters of Windows-1252 by their numbers.
    const shown = windows1252.get(point) ?? point
    return shown > 0 && shown <= 0x10_ff_ff ? String.fromCodePoint(shown) : ''
  })
}

const windows1252 = new Map([
  [0x85, 0x20_26],
  [0x91, 0x20_18],
  [0x92, 0x20_19],
  [0x93, 0x20_1c],
  [0x94, 0x20_1d],
  [0x96, 0x20_13],
  [0x97, 0x20_14],
])

const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['laquo', '«'],
  ['raquo', '»'],
  ['bull', '•'],
  ['middot', '·'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['eacute', 'é'],
  ['Eacute', 'É'],
  ['egrave', 'è'],
  ['aacute', 'á'],
  ['iacute', 'í'],
  ['oacute', 'ó'],
  ['uacute', 'ú'],
  ['ntilde', 'ñ'],
  ['ccedil', 'ç'],
  ['auml', 'ä'],
  ['ouml', 'ö'],
  ['uuml', 'ü'],
  ['Auml', 'Ä'],
  ['Ouml', 'Ö'],
  ['Uuml', 'Ü'],
  ['szlig', 'ß'],
])
