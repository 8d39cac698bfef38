import { foldAccents } from '../text-folding.ts'
import type { AudioExtension } from '../uploads/uploads.limits.ts'

interface Named {
  readonly title: string
  readonly speaker: string
  /** YYYY-MM-DD */
  readonly date: string
  readonly scriptureReference?: string | null
}

/** SPEC §9: characters of the title and of the speaker in a download's name. */
export const downloadNamePart = 50

/**
 * SPEC §9 'Download file name': 'Hope_in_Christ_John_Smith_20261122.mp3'. Letters and digits are those of any script;
 * the extension is the recording's own. A teaching without a title goes by its scripture reference.
 */
export function downloadName(teaching: Named, extension: AudioExtension): string {
  const title = namePart(teaching.title) || namePart((teaching.scriptureReference ?? '').replaceAll(':', '.'))
  const date = namePart(teaching.date).replaceAll('-', '')
  const parts = [title, namePart(teaching.speaker), date].filter((part) => part !== '')
  return `${parts.join('_') || 'teaching'}.${extension}`
}

/**
 * `attachment` with the name twice, as RFC 6266 §4.3 asks: plain ASCII for old clients, UTF-8 percent-encoded (RFC 8187)
 * for the others. Every string gives a value that `Headers` accepts.
 */
export function contentDisposition(name: string): string {
  const visible = name.replace(/\p{Cc}/gu, '').replace(/\p{Cs}/gu, '\ufffd')
  return `attachment; filename="${asciiName(visible)}"; filename*=UTF-8''${extendedValue(visible)}`
}

function namePart(text: string): string {
  const cleaned = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}\s\-_.]/gu, '')
    // A dot in front would hide the file.
    .replace(/^[\s.]+|\s+$/g, '')
    .replace(/\s+/g, '_')
  return Array.from(cleaned).slice(0, downloadNamePart).join('')
}

/** Accents go, other scripts become underscores; quotes and percent signs are read differently by different clients. */
function asciiName(name: string): string {
  const plain = Array.from(name.normalize('NFC'), (letter) => {
    const folded = foldAccents(letter)
    return letter === letter.toLowerCase() ? folded : folded.charAt(0).toUpperCase() + folded.slice(1)
  }).join('')
  return plain.replace(/[^\u0020-\u007e]/g, '_').replace(/["\\%]/g, '_')
}

/** RFC 8187 attr-char is stricter than encodeURIComponent about ' ( ) and *. */
const extendedValue = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
