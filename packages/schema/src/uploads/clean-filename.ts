import { type AudioExtension, recordingEndings } from './uploads.limits.ts'
import { decodedTwice } from './repair-name.ts'
import { formatScripture, parseScripture } from '../scripture.ts'
import type { EnteredFields } from './uploads.schema.ts'

/** Bytes of UTF-8 in a name on common file systems; the title gets the bytes that the other parts leave. */
export const storedNameBytes = { name: 255, speaker: 90, scripture: 100 } as const

/**
 * The name of a recording by the filename convention: 2026-11-22_John-Smith"Hope_in_Christ"_Romans_8_28-39.mp3.
 * `parseFilename` returns the same fields, as far as they fit. Illegal characters are removed.
 */
export function sanitizedFilename(fields: EnteredFields, extension: AudioExtension): string {
  const start = `${words(fields.date).join('-')}_${speakerPart(fields.speaker)}`
  const scripture = scripturePart(fields.scriptureReference)
  const end = `${scripture && `_${scripture}`}.${extension}`
  const room = storedNameBytes.name - utf8Length(`${start}""${end}`)
  const title = cut(words(fields.title).join('_'), room)
  // A book without a number could be parsed as a name: empty quotes separate them.
  const needsQuotes = title !== '' || (scripture !== '' && !/\d/.test(scripture))
  return `${start}${needsQuotes ? `"${title}"` : ''}${end}`
}

/** A hyphen separates names, so one inside a name is doubled. */
function speakerPart(text: string): string {
  const name = words(text.replace(anyQuote, '').replace(/[«»‹›「」『』｢｣《》〈〉〝〞〟﹁﹂﹃﹄❝❞‚״]/g, ''))
    .join(' ')
    .replace(/\s*-[\s-]*/g, '-')
    .replace(/^-|-$/g, '')
    // An apostrophe at the end of a word could be parsed as a quote.
    .replace(/'+(?!\p{L})|'+(?=')/gu, '')
  return cut(name.replaceAll('-', '--').replaceAll(' ', '-'), storedNameBytes.speaker)
}

/** '1-John_4_7-21;Jude_1_5'. Text that is no reference stays as words. */
function scripturePart(text: string): string {
  const ranges = parseScripture(text)?.ranges
  if (!ranges) return cut(words(text.replace(anyQuote, '')).join('_'), storedNameBytes.scripture)
  return ranges
    .map((range) =>
      formatScripture(range)
        .replace(/^(\d) /, '$1-')
        .replace(/[ :]/g, '_'),
    )
    .reduce((all, next) => (`${all};${next}`.length > storedNameBytes.scripture ? all : `${all};${next}`))
}

function words(text: string): string[] {
  const clean = withoutHiddenCharacters(text)
    .replace(/[<>:|?*/\\]/g, ' ')
    // 'x%22y' would be parsed as an escaped quote.
    .replace(/%(?=[0-9a-f]{2})/gi, '')
  return clean.split(/[\s_]+/).filter((word) => word !== '')
}

const anyQuote = /["“”„‟″＂]/g

/** At most `bytes` of UTF-8, whole characters, without a trailing separator. */
function cut(text: string, bytes: number): string {
  let left = bytes
  let kept = ''
  for (const character of text) {
    left -= utf8Length(character)
    if (left < 0) return kept.replace(/[-_\s]+$/, '')
    kept += character
  }
  return kept
}

function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/**
 * A received file name without additions of clients: path, percent-encoded quotes, invisible characters, '(1)' and 'Copy' of
 * a second download. `hasEnding` is false unless it ends as recordings do.
 */
export function cleanFileName(name: string): {
  stem: string
  hasEnding: boolean
  hadHiddenCharacters: boolean
} {
  const decoded = decodePercent(decodedTwice(name))
  const { stem, hasEnding } = splitExtension(withoutPath(withoutHiddenCharacters(decoded)).trim())
  return { stem: withoutCopyMark(stem), hasEnding, hadHiddenCharacters: dangerous.test(decoded) }
}

/** Text in NFC without invisible characters and direction marks. */
function withoutHiddenCharacters(text: string): string {
  return text
    .replace(everyInvisible, '')
    .replace(everyDangerous, '')
    .replace(loneSurrogates, '\ufffd')
    .normalize('NFC')
}

/** Zero-width space, word joiner, BOM, soft hyphen and direction marks: often pasted unnoticed, and harmless. */
const everyInvisible = /[\u200b\u2060\ufeff\u00ad\u200e\u200f\u061c]/g
/** Control characters, and overrides that display a name in another order ('gpm.exe' as 'exe.mpg'). */
// oxlint-disable-next-line no-control-regex -- it removes control characters
const dangerous = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/
const everyDangerous = new RegExp(dangerous, 'g')
const loneSurrogates = /\p{Cs}/gu

/** Browsers write a quote in a multipart file name as %22 (WHATWG HTML, multipart/form-data encoding), and WinSCP on disk. */
function decodePercent(name: string): string {
  if (!/%(?:22|20|E2%80%9[CD])/i.test(name)) return name
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return escaped
    }
  })
}

const withoutPath = (name: string) => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)

/** Accepts 'name.mp3.mp3' too, as systems that hide extensions produce it; of 'name.mp3.exe' the last one counts. */
function splitExtension(name: string): { stem: string; hasEnding: boolean } {
  const last = takeEnding(name)
  let stem = last.stem
  for (let inner = takeEnding(stem); inner.known; inner = takeEnding(stem)) stem = inner.stem
  return { stem, hasEnding: last.known }
}

function takeEnding(name: string): { stem: string; known: boolean } {
  const [, before, written = ''] = /^(.*)\.([^.]*)$/s.exec(name) ?? []
  if (before === undefined) return { stem: name, known: false }
  const ending = written.trim().toLowerCase()
  const known = recordingEndings.some((each) => each === ending)
  // '.exe' is an extension, the end of '8.28' is not.
  const isExtension = known || ending === '' || /^[a-z][a-z0-9]{0,8}$/.test(ending)
  return { stem: isExtension ? before.trim() : name, known }
}

const withoutCopyMark = (stem: string) =>
  stem
    .replace(copyMark, '')
    .replace(/^copy of /i, '')
    .trim()

/** As Windows, macOS, browsers, Dropbox, Nextcloud and Syncthing mark a second file of one name. */
const copyMark =
  /(?: ?\(\d{1,3}\)| ?\[\d{1,3}\]| - (?:copy|kopie|copie|copia)| copy(?: \d{1,2})?| \([^()]*(?:conflicted copy|case conflict)[^()]*\)|\.sync-conflict-\d{8}-\d{6}(?:-\w{1,10})?)+$/i
